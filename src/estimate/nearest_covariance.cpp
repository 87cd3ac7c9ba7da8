#include "estimate/nearest_covariance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "arithmetic/cholesky.hpp"
#include "estimate/clamp.hpp"
#include "estimate/precision.hpp"
#include "estimate/simplex.hpp"

namespace dpcov::detail {
namespace {

using Eigen::MatrixXd;

// But for rounding.
bool is_definite(const MatrixXd& matrix) {
    const double rounding = std::max(static_cast<double>(matrix.rows()) * 0x1p-50 * matrix.trace(),
                                     std::numeric_limits<double>::min());
    return has_cholesky_factor(matrix, rounding);
}

// What the diagonal may be moved by where the matrix errs by that much anyway.
double negligible_shift(Eigen::Index d, double error) {
    return negligible_beside(error) / std::sqrt(static_cast<double>(d));
}

// The matrix where it is positive semidefinite but for rounding; else with `shift` on its diagonal,
// where that is allowed and makes it so; else nothing.
std::optional<MatrixXd> made_definite(MatrixXd matrix, double shift, bool may_shift) {
    if (may_shift && !has_cholesky_factor(matrix, shift)) {
        return std::nullopt;
    }
    if (is_definite(matrix)) {
        return matrix;
    }
    if (!may_shift) {
        return std::nullopt;
    }
    matrix.diagonal().array() += shift;
    return matrix;
}

// The same, where the trace may be at most 1.
std::optional<MatrixXd> made_definite(MatrixXd matrix, double shift) {
    const bool may_shift = matrix.trace() + static_cast<double>(matrix.rows()) * shift <= 1.0;
    return made_definite(std::move(matrix), shift, may_shift);
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
    const double shift = negligible_shift(matrix.rows(), error);
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

bool has_spectrum_within(const MatrixXd& matrix, double upper) {
    return matrix.trace() <= upper && is_definite(matrix);
}

SpectralMap with_clamped_spectrum(const MatrixXd& matrix, double upper, double error) {
    const auto clamp = [upper](const Eigen::VectorXd& values) {
        return clamp_eigenvalues(values, upper);
    };
    if (enough_precision(matrix, error) == Precision::single) {
        SpectralMap clamped = with_eigenvalues(matrix, clamp, Precision::single);
        // What floats leave below zero is less than the shift.
        const double shift = negligible_shift(matrix.rows(), error);
        const bool may_shift = clamped.mapped.maxCoeff() + shift <= upper;
        if (std::optional<MatrixXd> definite =
                made_definite(std::move(clamped.matrix), shift, may_shift)) {
            clamped.matrix = std::move(*definite);
            return clamped;
        }
    }
    return with_eigenvalues(matrix, clamp);
}

}  // namespace dpcov::detail
