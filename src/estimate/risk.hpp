// How far an estimate is from the truth, from the noisy matrix and the law of its noise alone.
#pragma once

#include <Eigen/Core>

#include "estimate/noise_spectrum.hpp"
#include "estimate/tuning.hpp"

namespace dpcov::detail {

/// Of a symmetric d x d matrix: d (d + 1) / 2.
[[nodiscard]] double degrees_of_freedom(Eigen::Index d);

/// The divergence of f, a function of a symmetric matrix that keeps the eigenvectors and turns the
/// eigenvalues `noisy` (ascending) into `shrunk`, in coordinates orthonormal for the Frobenius
/// product: sum_i f'_i + sum_{i<j} (f_i - f_j) / (l_i - l_j), with `slopes` f'_i = df_i / dl_i.
[[nodiscard]] double spectral_divergence(const Eigen::VectorXd& noisy,
                                         const Eigen::VectorXd& shrunk,
                                         const Eigen::VectorXd& slopes);

/// Stein's unbiased estimate of E|f(Y) - Sigma|_F^2, where Y = Sigma + N has the eigenvalues
/// `noisy` (d of them, ascending), N is isotropic Gaussian noise of scale s (variance s^2 on the
/// diagonal, s^2 / 2 off it), and f(Y) has Y's eigenvectors and the eigenvalues `shrunk`:
///
///   -s^2 d (d + 1) / 2 + sum_i (f_i - l_i)^2
///     + 2 s^2 (sum_i f'_i + sum_{i<j} (f_i - f_j) / (l_i - l_j)),
///
/// with `slopes` f'_i = df_i / dl_i (zero where f does not come from Y). It is unbiased when f is
/// fixed or independent of N, and can be negative. Proof: docs/privacy.md#estimated-error.
[[nodiscard]] double stein_risk(const Eigen::VectorXd& noisy, const Eigen::VectorXd& shrunk,
                                const Eigen::VectorXd& slopes, double s);

/// The same for any estimate g(Y) with |g(Y) - Y|^2 = `squared_change`, divergence div g, noise of
/// variance s^2.
[[nodiscard]] double stein_risk(double squared_change, Eigen::Index d, double divergence,
                                double variance);

/// The standard deviation, over s^2, of the squared norm of the noise, and of Stein's unbiased risk
/// estimate with it.
[[nodiscard]] double stein_deviation(Eigen::Index d, NoiseShape noise, const Tuning& tuning);

}  // namespace dpcov::detail
