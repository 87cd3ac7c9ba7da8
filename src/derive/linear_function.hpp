// Linear functions of a noisy covariance, and how far their noise may go. Derivation:
// docs/deriving.md#intervals.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "derive/noisy_covariance.hpp"

namespace dpcov::detail {

/// What a noisy number of rows does to tr(Q C), which is a - b, a = tr(Q A) and b = mu^T Q mu.
struct DividedByRows {
    double relative_variance = 0.0;  ///< h^2, of the number of rows over its square
    double of_mean = 0.0;            ///< b
    double mean_variance = 0.0;      ///< of b, as noise in the mean makes it
    double matrix_variance = 0.0;    ///< of a, as that of A does which is independent of the rows'
    double matrix_slope = 0.0;  ///< the rest of that: by so much times the rows' relative noise
};

/// A linear function tr(Q C) of a noisy covariance, as far as its noise goes.
struct LinearFunction {
    double value = 0.0;            ///< tr(Q C)
    double variance = 0.0;         ///< of its noise, >= 0, to first order
    double excess_kurtosis = 0.0;  ///< of its noise
    DividedByRows rows = {};
};

/// How far the table's own value may be below and above the one that is told.
struct Reach {
    double below = 0.0;
    double above = 0.0;
};

/// What noise does not rule out that is within z deviations. Infinite where the rows may be none.
[[nodiscard]] Reach reach_of(const LinearFunction& function, double z);

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

/// The same for one side: noise does not exceed z standard deviations with probability `level`; 0
/// where that is ½ or less.
[[nodiscard]] inline NoiseQuantile one_sided_quantile(double level) {
    return NoiseQuantile(std::fmax(0.0, 2.0 * level - 1.0));
}

}  // namespace dpcov::detail
