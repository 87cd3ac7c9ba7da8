#include "audit/distinguishers.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <bit>
#include <cmath>
#include <cstdint>

namespace dpcov::audit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double not_finite = -1e6;

/// Binary digits of `value` from its first to its last one: 53 for most doubles, few where they
/// were made from something shorter.
int significant_bits(double value) {
    if (value == 0.0 || !std::isfinite(value)) {
        return 0;
    }
    int exponent = 0;
    constexpr int digits = 53;
    const auto mantissa =
        static_cast<std::uint64_t>(std::fabs(std::ldexp(std::frexp(value, &exponent), digits)));
    return digits - std::countr_zero(mantissa);
}

double most_significant_bits(const MatrixXd& matrix) {
    return matrix.unaryExpr([](double value) { return double{1} * significant_bits(value); })
        .maxCoeff();
}

/// How many entries are a multiple of `grid` up to the rounding to doubles.
double entries_on(double grid, const MatrixXd& matrix) {
    if (!(grid > 0.0)) {
        return 0.0;
    }
    return (matrix.array() / grid)
        .unaryExpr([](double steps) { return steps == std::nearbyint(steps) ? 1.0 : 0.0; })
        .sum();
}

double least_eigenvalue(const MatrixXd& symmetric) {
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
        .eigenvalues()(0);
}

}  // namespace

Distinguishers::Distinguishers(const NeighbourPair& pair)
    : of_x_(pair.covariance_of_x()), of_y_(pair.covariance_of_y()), difference_(of_x_ - of_y_) {
    // In the order in which observe() measures them.
    names_ = {"component along the difference",
              "diagonal part of the component",
              "off-diagonal part of the component",
              "trace",
              "greatest eigenvalue",
              "second eigenvalue",
              "least eigenvalue",
              "distance to the first table",
              "distance to the second table",
              "least eigenvalue less the first table",
              "least eigenvalue less the second table",
              "threshold",
              "error bar",
              "grid",
              "entries on the grid",
              "significant bits",
              "significant bits less the first table",
              "significant bits less the second table"};
    for (std::size_t j = 0; j < pair.dimension; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            names_.push_back("entry (" + std::to_string(i) + ", " + std::to_string(j) + ")");
        }
    }
}

VectorXd Distinguishers::observe(const Release& release) const {
    const MatrixXd& z = release.covariance;
    const Index d = z.rows();
    const VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(z, Eigen::EigenvaluesOnly).eigenvalues();
    const double component = z.cwiseProduct(difference_).sum();
    const double on_diagonal = z.diagonal().dot(difference_.diagonal());

    VectorXd numbers(static_cast<Index>(names_.size()));
    Index next = 0;
    for (const double number :
         {component, on_diagonal, component - on_diagonal, z.trace(), eigenvalues(d - 1),
          eigenvalues(d > 1 ? d - 2 : 0), eigenvalues(0), (z - of_x_).norm(), (z - of_y_).norm(),
          least_eigenvalue(z - of_x_), least_eigenvalue(z - of_y_),
          release.threshold.value_or(-1.0), release.estimated_frobenius_error.value_or(-1.0),
          release.grid, entries_on(release.grid, z), most_significant_bits(z),
          most_significant_bits(z - of_x_), most_significant_bits(z - of_y_)}) {
        numbers(next++) = number;
    }
    for (Index j = 0; j < d; ++j) {
        for (Index i = 0; i <= j; ++i) {
            numbers(next++) = z(i, j);
        }
    }
    return numbers.unaryExpr(
        [](double number) { return std::isfinite(number) ? number : not_finite; });
}

VectorXd discriminant(const MatrixXd& on_x, const MatrixXd& on_y) {
    const VectorXd mean_x = on_x.rowwise().mean();
    const VectorXd mean_y = on_y.rowwise().mean();
    MatrixXd scatter = MatrixXd::Zero(on_x.rows(), on_x.rows());
    const MatrixXd residual_x = on_x.colwise() - mean_x;
    const MatrixXd residual_y = on_y.colwise() - mean_y;
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(residual_x);
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(residual_y);
    scatter /= static_cast<double>(on_x.cols() + on_y.cols());

    // Every measurement in units of its own deviation, so that one ridge suits all. It is small
    // enough to leave a combination that is free of noise, and large enough to leave out one that
    // is always zero.
    const VectorXd deviations = scatter.diagonal().cwiseSqrt();
    const VectorXd scales = deviations.unaryExpr(
        [](double deviation) { return deviation > 0.0 ? 1.0 / deviation : 0.0; });
    MatrixXd correlation = scales.asDiagonal() * MatrixXd(scatter.selfadjointView<Eigen::Lower>()) *
                           scales.asDiagonal();
    constexpr double ridge = 1e-9;
    correlation.diagonal().array() += ridge;
    return scales.cwiseProduct(correlation.ldlt().solve(scales.cwiseProduct(mean_x - mean_y)));
}

}  // namespace dpcov::audit
