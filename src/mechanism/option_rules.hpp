// Which options and budgets a method can honour.
#pragma once

#include "dpcov/budget.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

/// Throws UsageError for a budget in a definition that the method cannot meet, and for options that
/// it does not take. `twice`: the rows are to be looked at a second time.
void require_fitting(const Method& method, const Budget& budget, const ReleaseOptions& options,
                     bool twice);

/// UsageError for another number of passes over the rows.
void require_one_or_two(int passes);

}  // namespace dpcov::detail
