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
    double noise_variance = 0.0;  ///< s^2 > 0: of a diagonal entry of A, and of the target; half of
                                  ///< it off the diagonal
    double cross_noise_variance = 0.0;  ///< > 0: of an entry of b
    double rows = 0.0;                  ///< n > 0
    /// v >= 0: of the noise of each column's mean, about which they vary; 0: about zero.
    double mean_noise_variance = 0.0;

    /// Unit vector u, p, or empty: along it noise is greater. S = I - (1 - f) u u^T makes that of
    /// S A S as above; b has its own along u.
    Eigen::VectorXd noisier_direction = {};
    double evening_factor = 1.0;     ///< f, in (0, 1]
    double cross_noise_along = 0.0;  ///< > 0 where there is u: variance of u^T b
    /// The means of x and y about the middles of their bounds, p + 1; or empty where there are no
    /// bounds. And half the range of y's, in the same units.
    Eigen::VectorXd means = {};
    double half_range_of_target = 1.0;
};

/// The w that is expected to predict best, where b = A w + noise:
///
/// - Form: w ~ N(0, t h) in the eigenbasis of the features' covariance, whose eigenvalues are c_i:
///   h_i = (c_i + s sqrt(p))^-g. The exponent g is 0 with probability 1/2, 1 or 2 with 1/4 each.
/// - Length: t is such that w explains a share R^2 of the variance c of y. R^2 is on an even grid,
///   0 < R^2 <= 1, of equal chance; or fainter: halvings of the least value, each with a tenth of
///   that chance. Or w = 0, with odds of one to five.
/// - Variance: c is the release's. Where noise hides it, it is one of a grid of powers of two, of
///   equal chance. About a mean that grid goes further down: bounds that are too wide make
///   variances small, but not second moments about zero.
///
/// A is noisy, too. Along its noisy eigenvectors the features vary as rotation-invariant shrinkage
/// expects, and nowhere less than zero. So the equations have noise of A, and of the sampling of n
/// rows, beside that of b. Given t, g and c the posterior mean is that of a linear model. These are
/// averaged by the likelihood of b and of the noisy variance of y, over sqrt(c). Where there are
/// bounds the line is believed to pass near their middles, so the means weigh in, too. At last w
/// may be made shorter: along it the features vary at least as much as A says less two deviations
/// of its noise.
[[nodiscard]] Eigen::VectorXd posterior_coefficients(const NoisyRegression& regression);

/// The lambda >= 0 at which (A + lambda I)^-1 b, A without its negative eigenvalues, has the norm
/// `norm` > 0, or 0 where it is shorter even without a penalty.
[[nodiscard]] double equivalent_ridge(const NoisyRegression& regression, double norm);

}  // namespace dpcov::detail
