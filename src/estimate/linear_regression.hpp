// Coefficients of a linear prediction from a noisy covariance. Post-processing: nothing here sees
// un-noised data. Derivation, and what it was compared with: docs/algorithms.md#regression.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// What is known of the features x and the target y.
struct NoisyRegression {
    Eigen::MatrixXd features;     ///< A: of x, p x p, symmetric, perhaps indefinite
    Eigen::VectorXd cross;        ///< b: of x and y, p
    double target = 0.0;          ///< of y; may be negative
    double noise_variance = 0.0;  ///< s^2 > 0: of a diagonal entry of A; of b, s^2 / 2
};

/// The posterior mean of w, where b = A w + noise:
///
///   w ~ N(0, t I) with t = R^2 y / tr A, and R^2, the share of y that is explained, of equal
///   chance on a grid in (0, 1]; or w = 0, with one chance in five.
///
/// b's noise has variance v = s^2 / 2, and A's adds to it s^2 / 2 |w|^2, of which the prior expects
/// t p: given t the posterior mean is t A (t A^2 + v (1 + t p))^-1 b in A's eigenbasis, eigenvalues
/// below zero taken for zero. It is averaged over t by the likelihood of b.
[[nodiscard]] Eigen::VectorXd posterior_coefficients(const NoisyRegression& regression);

/// The lambda >= 0 at which (A + lambda I)^-1 b, A without its negative eigenvalues, has the norm
/// `norm` > 0, or 0 where it is shorter even without a penalty.
[[nodiscard]] double equivalent_ridge(const NoisyRegression& regression, double norm);

}  // namespace dpcov::detail
