// Whether a matrix is positive semidefinite, without its eigenvalues.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// Whether `symmetric` + shift I has a Cholesky factor in doubles, as every positive definite
/// matrix has but for rounding: no eigenvalue of `symmetric` is below -shift by more than a small
/// multiple of d 2^-53 times its greatest entry. Reads the lower triangle. d^3 / 3 operations, in
/// products of blocks: a small part of the time of an eigendecomposition.
[[nodiscard]] bool has_cholesky_factor(const Eigen::MatrixXd& symmetric, double shift);

}  // namespace dpcov::detail
