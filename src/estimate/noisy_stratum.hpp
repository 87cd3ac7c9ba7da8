// One stratum as it was released.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace dpcov::detail {

/// Y = Sigma + noise: the second moment of the rows of norm at most `radius` that are in no finer
/// stratum, over the number of rows in all strata; or the sum of such neighbours.
struct NoisyStratum {
    Eigen::MatrixXd matrix;  ///< Y, d x d, symmetric
    double noise_variance;   ///< s^2 > 0: on the diagonal; s^2 / 2 off it
    double radius;           ///< > 0, of the coarsest, in units of the norm bound

    [[nodiscard]] double noise_scale() const { return std::sqrt(noise_variance); }  ///< s
};

/// Two strata looked at as one: their sum, under the independent noise of both.
[[nodiscard]] inline NoisyStratum pooled(const NoisyStratum& finer, NoisyStratum coarser) {
    coarser.matrix += finer.matrix;
    coarser.noise_variance += finer.noise_variance;
    return coarser;
}

}  // namespace dpcov::detail
