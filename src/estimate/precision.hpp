// Whether single precision is enough for the spectrum of a noisy matrix.
#pragma once

#include <Eigen/Core>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::detail {

/// What a decomposition in single precision and the products after it may err by, in Frobenius
/// norm: 16 sqrt(d) 2^-24 times that of the matrix. A twelfth to a half of that was seen at
/// d = 128 to 2000 (docs/research-log.md#speed).
[[nodiscard]] double single_precision_error(const Eigen::MatrixXd& matrix);

/// A thousandth of `error`: what a matrix that errs by that anyway, in Frobenius norm, may be
/// moved.
[[nodiscard]] constexpr double negligible_beside(double error) {
    return 1e-3 * error;
}

/// Single where that error is negligible beside `error`, which the matrix errs by anyway. Full
/// below 128 columns, where it takes next to no time.
[[nodiscard]] Precision enough_precision(const Eigen::MatrixXd& matrix, double error);

}  // namespace dpcov::detail
