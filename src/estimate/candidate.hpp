// A denoised matrix and what Stein's risk estimate has to know of it.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// An estimate g(Y) of Sigma from Y = Sigma + noise and, it may be, from a prior.
struct Candidate {
    Eigen::MatrixXd matrix;    ///< g(Y), d x d, symmetric; empty where one of the next two says it
    Eigen::VectorXd spectrum;  ///< g(Y) = V diag(spectrum) V^T, V the eigenvectors of Y
    Eigen::VectorXd diagonal;  ///< g(Y) = diag(diagonal)
    double divergence = 0.0;   ///< estimate of E<noise, g(Y)> / s^2. For Gaussian noise that is
                               ///< div g at Y, in coordinates orthonormal for the Frobenius product
    double prior_share = 0.0;  ///< g moves by about this times a small change of the prior
};

}  // namespace dpcov::detail
