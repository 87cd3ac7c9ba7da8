// The covariance as the noise left it: unshrunk, unbiased, with noise of a known law. What
// intervals and regressions are made from. Derivation: docs/deriving.md#intervals.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// C = A - m m^T + v I, with A = Sigma + N, m = mu + e. N has variance s^2 on the diagonal, s^2 / 2
/// off it, and does not change its law under rotation; e has variance v in each entry. Without a
/// mean m = 0 and v = 0. Units are those of the statistics: mapped, moved, stretched. All of it may
/// be off by one common factor, where A and m were divided by a noisy number of rows.
struct NoisyCovariance {
    Eigen::MatrixXd matrix;               ///< C, d x d, symmetric, perhaps indefinite
    Eigen::VectorXd mean;                 ///< m, d; zero where it is not about the mean
    double noise_variance = 0.0;          ///< s^2 > 0
    double lacking_variance = 0.0;        ///< of s^2, what is not noise that C has, but what C may
                                          ///< lack (weighed_sum)
    double mean_noise_variance = 0.0;     ///< v
    double excess_kurtosis = 0.0;         ///< of a diagonal entry of N; 0 for Gaussian noise
    double edge_ratio = 1.0;              ///< of the greatest eigenvalue of N to what it would be
                                          ///< for Gaussian noise of the same s
    double rows = 0.0;                    ///< n, or the noisy n
    double relative_rows_variance = 0.0;  ///< of the noisy number of rows, over its square
    double rows_covariance = 0.0;         ///< of the noise of the number of rows, over that number,
                                          ///< and of a diagonal entry of N

    /// d.
    [[nodiscard]] Eigen::Index columns() const { return matrix.rows(); }

    /// The covariance of some of the columns alone: noise of the same law.
    [[nodiscard]] NoisyCovariance of(const std::vector<Eigen::Index>& columns) const;
};

/// The sum of a release's strata; none where the release has no statistics whose law is known, or
/// where strata are missing that intervals would need.
[[nodiscard]] std::optional<NoisyCovariance> noisy_covariance(const Release& release);

/// Of some of the columns, with less noise where that can be had (weighed_sum): for estimates. It
/// is not unbiased, and what the noise has in common with the number of rows is not kept track of.
/// None where the release has no statistics whose law is known.
[[nodiscard]] std::optional<NoisyCovariance> weighed_covariance(
    const Release& release, const std::vector<Eigen::Index>& columns);

/// The same of all columns.
[[nodiscard]] std::optional<NoisyCovariance> weighed_covariance(const Release& release);

}  // namespace dpcov::detail
