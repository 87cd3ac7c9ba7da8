// A regression whose features have even noise, and priors of its coefficients under which its
// equations are independent. Derivation: docs/deriving.md#regression.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "regression/linear_regression.hpp"

namespace dpcov::detail {

/// The equations S b = (S A) w, in the eigenbasis V of S A S.
struct EvenEquations {
    Eigen::MatrixXd basis;              ///< V, p x p
    Eigen::ArrayXd noisy_eigenvalues;   ///< of S A S, ascending
    Eigen::ArrayXd eigenvalues;         ///< a: what they are expected to be, > 0
    Eigen::VectorXd cross;              ///< V^T S b
    double deviation = 0.0;             ///< s
    double cross_noise_variance = 0.0;  ///< of S b, across u
    double more_noise_along = 0.0;      ///< of u^T S b above that; may be less than 0
    Eigen::VectorXd noisier_direction;  ///< V^T u, or empty
    double evening_factor = 1.0;        ///< f
    Eigen::VectorXd means;              ///< V^T of the features', or empty
    /// Of C, the covariance that the features are expected to have, S C S = diag(a): the variances
    /// along its principal axes, which are empty where C is diagonal.
    Eigen::ArrayXd feature_variances;
    Eigen::MatrixXd feature_axes;

    /// S^-1 times a vector or a matrix, in that basis.
    [[nodiscard]] Eigen::MatrixXd unevened(Eigen::MatrixXd columns) const;
};
[[nodiscard]] EvenEquations even_equations(const NoisyRegression& regression);

/// A prior w ~ N(0, t T), in that basis. Under it the equations U^T V^T S b are independent but
/// for b's noise, have the variance t (signal + noise_of_features) and that noise's, and the
/// posterior mean of w is t L times the inverse of their covariance times them.
struct RegressionPrior {
    double log_chance = 0.0;
    Eigen::ArrayXd prior_variances;        ///< h: of w along the features' axes, over t
    Eigen::ArrayXd equations;              ///< U^T V^T S b
    Eigen::ArrayXd signal;                 ///< variance of what w puts into them, over t
    Eigen::ArrayXd noise_of_features;      ///< of what A's noise adds, over t
    Eigen::ArrayXd sampling;               ///< of what a row adds, over what is unexplained
    Eigen::ArrayXd noisier_direction;      ///< U^T V^T u, or empty
    Eigen::VectorXd diagonal_of_solution;  ///< of L, where L is diagonal
    Eigen::MatrixXd solution = {};         ///< L, else
    Eigen::VectorXd prior_of_means = {};   ///< T m, or empty

    /// L x, and L^T x.
    [[nodiscard]] Eigen::VectorXd solved(const Eigen::VectorXd& x) const;
    [[nodiscard]] Eigen::VectorXd transposed_solved(const Eigen::VectorXd& x) const;
};

/// All that are averaged over.
[[nodiscard]] std::vector<RegressionPrior> regression_priors(const EvenEquations& equations);

}  // namespace dpcov::detail
