// How a private number of rows is estimated: from the strata's own noise, at no cost, or by a
// separate count for a share of their budget; whichever promises less error. Public, but for noise.
#pragma once

#include <cstddef>
#include <optional>

#include "dpcov/budget.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/joint_moment.hpp"
#include "partition/partition.hpp"

namespace dpcov::detail {

/// The share of the strata's budget for a count apart; none where the strata count. For so many
/// draws of strata, which together spend `strata`, of rows of `columns` columns, and what is
/// predicted of them.
template <class Share>
[[nodiscard]] std::optional<double> share_for_rows(const Prediction& prediction,
                                                   const RowCount& rows, std::size_t columns,
                                                   const JointQuery& query, std::size_t draws,
                                                   Share strata);

}  // namespace dpcov::detail
