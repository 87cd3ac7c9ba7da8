// Linear functions of a noisy covariance, and how far their noise may go. Derivation:
// docs/deriving.md#intervals.
#pragma once

#include <Eigen/Core>

#include "derive/noisy_covariance.hpp"

namespace dpcov::detail {

/// A linear function tr(Q C) of a noisy covariance, as far as its noise goes.
struct LinearFunction {
    double value = 0.0;            ///< tr(Q C)
    double variance = 0.0;         ///< of its noise, >= 0
    double excess_kurtosis = 0.0;  ///< of its noise
};

/// Of two columns i and j: ii C_ii + jj C_jj + 2 ij C_ij, or ii C_ii where i = j.
struct PairWeights {
    double ii = 0.0;
    double jj = 0.0;
    double ij = 0.0;
};
[[nodiscard]] LinearFunction linear_function(const NoisyCovariance& covariance, Eigen::Index i,
                                             Eigen::Index j, const PairWeights& weights);

/// Along a direction q, d: q^T C q - sum_i less_i C_ii.
[[nodiscard]] LinearFunction linear_function(const NoisyCovariance& covariance,
                                             const Eigen::VectorXd& direction,
                                             const Eigen::VectorXd& less);

/// Quantiles z of noise: it stays within z standard deviations with probability `level`.
class NoiseQuantile {
public:
    explicit NoiseQuantile(double level);
    /// Of noise with that kurtosis, to the first order of Cornish and Fisher (1938).
    [[nodiscard]] double with(double excess_kurtosis) const noexcept {
        return normal_ + excess_kurtosis / 24.0 * normal_ * (normal_ * normal_ - 3.0);
    }

private:
    double normal_;
};

}  // namespace dpcov::detail
