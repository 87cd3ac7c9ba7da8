// Coefficients of a linear prediction from a noisy covariance. Post-processing: nothing here sees
// un-noised data. Derivation, and what it was compared with: docs/deriving.md#regression.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// What is known of the features x and the target y, over the number of rows.
struct NoisyRegression {
    Eigen::MatrixXd features;     ///< A: of x, p x p, symmetric, perhaps indefinite
    Eigen::VectorXd cross;        ///< b: of x and y, p
    double target = 0.0;          ///< of y; may be negative
    double noise_variance = 0.0;  ///< s^2 > 0: of a diagonal entry of A, and of the target; of b,
                                  ///< s^2 / 2
    double rows = 0.0;            ///< n > 0
};

/// The w that is expected to predict best, where b = A w + noise:
///
///   w ~ N(0, t I) with t = R^2 c / tr A, and R^2, the share of c that is explained, of equal
///   chance on a grid in (0, 1]; or w = 0, with one chance in five. The true variance c of y is
///   that of the release, or where noise hides it of equal chance on a grid of powers of two.
///
/// b's noise has variance s^2 / 2 in each entry, A's adds s^2 / 2 |w|^2, of which the prior expects
/// t p, and the sampling of n rows adds (1 - R^2) c / n times A. Given t the posterior mean is
/// t A (t A^2 + V)^-1 b in A's eigenbasis, V the sum of these variances, eigenvalues below zero
/// taken for zero. It is averaged by the likelihood of b and of y's noisy variance, over c: what is
/// made least is the expected error in units of c, the error of predicting zero.
[[nodiscard]] Eigen::VectorXd posterior_coefficients(const NoisyRegression& regression);

/// The lambda >= 0 at which (A + lambda I)^-1 b, A without its negative eigenvalues, has the norm
/// `norm` > 0, or 0 where it is shorter even without a penalty.
[[nodiscard]] double equivalent_ridge(const NoisyRegression& regression, double norm);

}  // namespace dpcov::detail
