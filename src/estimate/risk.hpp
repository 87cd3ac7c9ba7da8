// How far an estimate is from the truth, from the noisy matrix and the law of its noise alone.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

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

}  // namespace dpcov::detail
