// Strata that were released apart, looked at as one: where rows point everywhere alike, what fine
// strata have wrong is not worth multiplying up into coarse ones. Post-processing.
// Derivation: docs/algorithms.md#pooled-sum.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "estimate/tuning.hpp"

namespace dpcov::detail {

/// The sum of all strata so far, as they were released.
struct PooledSum {
    Eigen::MatrixXd matrix;       ///< empty before the first
    double noise_variance = 0.0;  ///< s^2 of the sum
};

/// Of the covariance that a pooled sum is a noisy matrix of.
struct PooledEstimate {
    Eigen::MatrixXd matrix;
    double noise = 0.0;  ///< expected product of the sum's noise and the estimate
};

/// The best mixture, by Stein's unbiased risk estimate, of the `estimate` from strata, of the sum,
/// and of the multiple of the identity that has the sum's trace; `noise_in_estimate`: the expected
/// product of the sum's noise and `estimate`. None where it is not seen to be better than
/// `estimate` alone.
[[nodiscard]] std::optional<PooledEstimate> pooled_estimate(const PooledSum& sum,
                                                            const Eigen::MatrixXd& estimate,
                                                            double noise_in_estimate,
                                                            const Tuning& tuning);

}  // namespace dpcov::detail
