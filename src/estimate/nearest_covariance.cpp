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

// What the diagonal needs to make the matrix positive definite: nothing but for rounding, or the
// multiple of the identity of that Frobenius norm, or none of these.
std::optional<double> small_enough_shift(const MatrixXd& matrix, double norm) {
    const auto d = static_cast<double>(matrix.rows());
    const double shift = norm / std::sqrt(d);
    if (matrix.trace() + d * shift > 1.0 || !has_cholesky_factor(matrix, shift)) {
        return std::nullopt;
    }
    const double rounding = d * 0x1p-50 * matrix.diagonal().maxCoeff();
    const bool is_definite =
        has_cholesky_factor(matrix, std::max(rounding, std::numeric_limits<double>::min()));
    return is_definite ? 0.0 : shift;
}

}  // namespace

MatrixXd nearest_covariance(const MatrixXd& matrix, double error) {
    const Precision precision = enough_precision(matrix, error);
    // Most sums of strata need no more than that, and it takes a tenth of the time.
    if (precision == Precision::single) {
        if (const auto shift = small_enough_shift(matrix, negligible_beside(error))) {
            MatrixXd shifted = matrix;
            shifted.diagonal().array() += *shift;
            return shifted;
        }
    }
    return with_eigenvalues(
               matrix,
               [](const Eigen::VectorXd& values) {
                   return project_onto_simplex(values, 1.0).values;
               },
               precision)
        .matrix;
}

}  // namespace dpcov::detail
