// From a second moment to the covariance about a noisy mean, and what that noise makes of it.
// Derivation: docs/algorithms.md#about-mean.
#pragma once

#include <Eigen/Core>

#include "dpcov/statistics.hpp"
#include "estimate/mean_of_strata.hpp"

namespace dpcov::detail {

/// The covariance about `mean` of rows of that second moment, not projected: m m^T overshoots by
/// the noise variance on the diagonal, which is known.
[[nodiscard]] Eigen::MatrixXd about_mean(const Eigen::MatrixXd& second_moment,
                                         const NoisyMean& mean);

/// Unbiased for the squared Frobenius norm of the covariance about the mean, from the noisy one of
/// about_mean(). `squared_noise` is the expected squared norm of the second moment's noise alone.
[[nodiscard]] double squared_norm_without_noise(const Eigen::MatrixXd& about_mean,
                                                const NoisyMean& mean, double squared_noise);

/// The same where it is more than two of its deviations, roughly; else 0.
[[nodiscard]] double squared_norm_beyond_noise(const Eigen::MatrixXd& about_mean,
                                               const NoisyMean& mean, double squared_noise);

/// About the mean that was released with it, and the squared norm of squared_norm_beyond_noise().
struct NoisyAboutMean {
    Eigen::MatrixXd matrix;
    double squared_norm = 0.0;
};
[[nodiscard]] NoisyAboutMean about_released_mean(const NoisyMoment& all_rows, double squared_noise);

/// The covariance about a mean, with what lies across that shrunk by its noise.
struct ShrunkAboutMean {
    Eigen::MatrixXd matrix;
    double squared_noise = 0.0;        ///< that the mean's noise is expected to add to it
    double variance_along_mean = 0.0;  ///< that it adds to u^T matrix u, u = m / |m|
};
[[nodiscard]] ShrunkAboutMean shrunk_about_mean(const Eigen::MatrixXd& second_moment,
                                                const NoisyMean& mean);

/// Whether a covariance of that squared norm may be what the noise along the mean made, rather than
/// of rows. `greatest_trace` is what no covariance's trace is above.
[[nodiscard]] bool may_be_noise(double squared_norm, double variance_along_mean,
                                double greatest_trace);

/// Of the covariance of rows no longer than 1 about their mean: 1 - |mu|^2, of which the noise
/// leaves little doubt.
[[nodiscard]] double greatest_trace(const NoisyMean& mean);

}  // namespace dpcov::detail
