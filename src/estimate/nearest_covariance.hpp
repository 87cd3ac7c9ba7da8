// From a symmetric estimate to a matrix that can be a second moment of rows of norm at most 1.
// Post-processing: sees no un-noised data.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// Positive semidefinite, of trace at most 1, and from `matrix`, in Frobenius norm, no further than
/// the nearest such matrix by more than two thousandths of `error`, which `matrix` errs by anyway.
/// A matrix that is one already stays as it is. Exactly symmetric; reads the lower triangle.
/// Derivation: docs/algorithms.md#nearest-covariance.
[[nodiscard]] Eigen::MatrixXd nearest_covariance(const Eigen::MatrixXd& matrix, double error);

}  // namespace dpcov::detail
