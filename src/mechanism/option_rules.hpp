// Which options and budgets a method can honour.
#pragma once

#include <string>

#include "dpcov/accountant.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

/// Throws UsageError for a budget in a definition that the method cannot meet, and for options that
/// it does not take. `twice`: the rows are to be looked at a second time.
void require_fitting(const Method& method, const Budget& budget, const ReleaseOptions& options,
                     bool twice);

/// What such a release of rows of that data set costs, whatever comes of it.
[[nodiscard]] Charge charge_for(const Method& method, const Budget& budget,
                                const ReleaseOptions& options, const std::string& dataset);

/// UsageError for another number of passes over the rows.
void require_one_or_two(int passes);

}  // namespace dpcov::detail
