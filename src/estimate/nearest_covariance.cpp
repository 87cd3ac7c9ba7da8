#include "estimate/nearest_covariance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "arithmetic/cholesky.hpp"
#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/precision.hpp"
#include "estimate/simplex.hpp"

namespace dpcov::detail {
namespace {

using Eigen::MatrixXd;

// The matrix where it is positive semidefinite but for rounding; else with `shift` on its diagonal,
// where that makes it so and leaves its trace at most 1; else nothing.
std::optional<MatrixXd> made_definite(MatrixXd matrix, double shift) {
    const auto d = static_cast<double>(matrix.rows());
    const double trace = matrix.trace();
    const bool may_shift = trace + d * shift <= 1.0;
    if (may_shift && !has_cholesky_factor(matrix, shift)) {
        return std::nullopt;
    }
    const double rounding = std::max(d * 0x1p-50 * trace, std::numeric_limits<double>::min());
    if (has_cholesky_factor(matrix, rounding)) {
        return matrix;
    }
    if (!may_shift) {
        return std::nullopt;
    }
    matrix.diagonal().array() += shift;
    return matrix;
}

MatrixXd projected(const MatrixXd& matrix, Precision precision) {
    return with_eigenvalues(
               matrix,
               [](const Eigen::VectorXd& values) {
                   return project_onto_simplex(values, 1.0).values;
               },
               precision)
        .matrix;
}

}  // namespace

MatrixXd nearest_covariance(const MatrixXd& matrix, double error) {
    if (enough_precision(matrix, error) == Precision::full) {
        return projected(matrix, Precision::full);
    }
    const double shift = negligible_beside(error) / std::sqrt(static_cast<double>(matrix.rows()));
    // Most sums of strata need no more than that, and it takes a tenth of the time.
    if (matrix.trace() <= 1.0) {
        if (std::optional<MatrixXd> definite = made_definite(matrix, shift)) {
            return std::move(*definite);
        }
    }
    // What floats leave below zero is less than the shift.
    if (std::optional<MatrixXd> definite =
            made_definite(projected(matrix, Precision::single), shift)) {
        return std::move(*definite);
    }
    return projected(matrix, Precision::full);
}

}  // namespace dpcov::detail
