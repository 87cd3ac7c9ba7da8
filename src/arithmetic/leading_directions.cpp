#include "arithmetic/leading_directions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "arithmetic/matrix_product.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// A basis of what they span, and of anything where they span less.
MatrixXd orthonormal(const MatrixXd& vectors) {
    return Eigen::HouseholderQR<MatrixXd>(vectors).householderQ() *
           MatrixXd::Identity(vectors.rows(), vectors.cols());
}

// Always the same, and no axes.
MatrixXd start(Index d, Index count) {
    return MatrixXd::NullaryExpr(d, count, [](Index i, Index j) {
        return std::cos(static_cast<double>((i + 1) * (j + 1)));
    });
}

}  // namespace

MatrixXd rough_leading_directions(const MatrixXd& symmetric, Index count) {
    const Index d = symmetric.rows();
    if (symmetric.isZero(0.0)) {
        return {d, 0};
    }
    constexpr Index vectors = 8;
    constexpr int steps = 16;
    MatrixXd basis = orthonormal(start(d, std::min(d, vectors)));
    for (int step = 0; step < steps; ++step) {
        basis = orthonormal(product(symmetric, basis));
    }
    const MatrixXd within = basis.transpose() * product(symmetric, basis);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(within);
    return basis * solver.eigenvectors().rightCols(std::min(count, d)).rowwise().reverse();
}

}  // namespace dpcov::detail
