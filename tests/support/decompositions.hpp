// Decompositions to hold the library's against, which are LAPACK's. Compiled once: Eigen's take
// seconds of every object that instantiates them.
#pragma once

#include <Eigen/Core>

namespace dpcov::test {

/// Ascending, with the vectors in the columns.
struct EigenPairs {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
};

[[nodiscard]] EigenPairs eigen_pairs(const Eigen::MatrixXd& symmetric);

/// The eigenvalues alone, ascending.
[[nodiscard]] Eigen::VectorXd spectrum(const Eigen::MatrixXd& symmetric);

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// The same by cyclic Jacobi in long doubles (u = 2^-64), to a few hundred 2^-64 of the norm.
[[nodiscard]] LongVector long_spectrum(LongMatrix symmetric);

/// x of A x = b, A symmetric and not singular.
[[nodiscard]] Eigen::VectorXd solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

/// Q of the QR factors.
[[nodiscard]] Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& matrix);

}  // namespace dpcov::test
