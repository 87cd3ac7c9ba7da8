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

// How many of the greatest eigenvalues, up to `count`, there are before a gap, if there is one
// behind the first: which vectors are those of equal ones rounding decides, and otherwise on
// another processor. An estimate's eigenvalues often are equal.
Index before_a_gap(const Eigen::VectorXd& increasing, Index count) {
    const Index size = increasing.size();
    const auto value = [&](Index k) { return k < size ? increasing[size - 1 - k] : 0.0; };
    const double least_gap = 0x1p-26 * value(0);
    const auto gap_behind = [&](Index k) { return value(k - 1) - value(k) > least_gap; };
    Index before = gap_behind(1) ? std::min(count, size) : 0;
    while (before > 0 && !gap_behind(before)) {
        --before;
    }
    return before;
}

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
    const Index found = before_a_gap(solver.eigenvalues(), count);
    return basis * solver.eigenvectors().rightCols(found).rowwise().reverse();
}

}  // namespace dpcov::detail
