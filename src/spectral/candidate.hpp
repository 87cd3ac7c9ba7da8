// A denoised matrix and what Stein's risk estimate has to know of it.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// An estimate g(Y) of Sigma from Y = Sigma + noise.
struct Candidate {
    Eigen::MatrixXd matrix;  ///< g(Y), d x d, symmetric
    double divergence;       ///< div g at Y, in coordinates orthonormal for the Frobenius product
};

}  // namespace dpcov::detail
