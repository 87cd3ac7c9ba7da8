// What a noisy mean is believed to be of columns that have bounds. A pure function of public
// numbers. Derivation: docs/algorithms.md#mean-within-bounds.
#pragma once

#include <Eigen/Core>

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// Of each column that has bounds, the mean of a normal law about its noisy mean, given that it is
/// within the bounds. `mean` and the deviations of its noise are in units of the statistics.
/// `release` says how rows were mapped, and how noisy their number is, which comes on top.
[[nodiscard]] Eigen::VectorXd mean_within_bounds(Eigen::VectorXd mean,
                                                 const Eigen::ArrayXd& deviations,
                                                 const Release& release);

}  // namespace dpcov::detail
