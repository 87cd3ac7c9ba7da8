// A denoised matrix and what Stein's risk estimate has to know of it.
#pragma once

#include <Eigen/Core>
#include <variant>

namespace dpcov::detail {

/// V diag(values) V^T, V the eigenvectors of Y.
struct Spectrum {
    Eigen::VectorXd values;
};

/// diag(values).
struct Diagonal {
    Eigen::VectorXd values;
};

/// An estimate g(Y) of Sigma from Y = Sigma + noise and, it may be, from a prior.
struct Candidate {
    std::variant<Eigen::MatrixXd, Spectrum, Diagonal> value;  ///< g(Y), d x d, symmetric
    double divergence = 0.0;   ///< estimate of E<noise, g(Y)> / s^2. For Gaussian noise that is
                               ///< div g at Y, in coordinates orthonormal for the Frobenius product
    double prior_share = 0.0;  ///< g moves by about this times a small change of the prior
};

}  // namespace dpcov::detail
