// How much of a column's correlations is told where noise may have made most of its variance.
#pragma once

#include <Eigen/Core>

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// A factor for each column, from 0 to 1, for all of its correlations: near 1 where its estimated
/// variance is above twice the noise that the estimate is believed to have left in it, 1/2 at that,
/// and near 0 below (docs/derived.md#doubtful-variances). 1 where no noise is known.
[[nodiscard]] Eigen::VectorXd kept_of_correlations(const Release& release);

}  // namespace dpcov::detail
