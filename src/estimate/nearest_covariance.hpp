// From a symmetric estimate to a matrix that can be a second moment of rows of bounded norm.
// Post-processing: sees no un-noised data.
#pragma once

#include <Eigen/Core>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::detail {

/// Positive semidefinite, of trace at most 1, and from `matrix`, in Frobenius norm, no further than
/// the nearest such matrix by more than two thousandths of `error`, which `matrix` errs by anyway.
/// A matrix that is one already stays as it is. Exactly symmetric; reads the lower triangle.
/// Derivation: docs/algorithms.md#nearest-covariance.
[[nodiscard]] Eigen::MatrixXd nearest_covariance(const Eigen::MatrixXd& matrix, double error);

/// Whether all eigenvalues are seen to lie in [0, upper], but for rounding, at a small part of the
/// cost of finding them: by a Cholesky factor and the trace. Reads the lower triangle.
[[nodiscard]] bool has_spectrum_within(const Eigen::MatrixXd& matrix, double upper);

/// The matrix with its eigenvalues clamped to [0, upper]: the nearest with such, or, in Frobenius
/// norm, no further from that than by two thousandths of `error`, which `matrix` errs by anyway.
/// Positive semidefinite, exactly symmetric; reads the lower triangle.
[[nodiscard]] SpectralMap with_clamped_spectrum(const Eigen::MatrixXd& matrix, double upper,
                                                double error);

}  // namespace dpcov::detail
