// Eigenvalues and eigenvectors of a symmetric matrix, by LAPACK's dsyevd.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// A = vectors * diag(values) * vectors^T, values ascending.
struct EigenDecomposition {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
};

/// Reads the upper triangle of `symmetric` (d x d, finite). Throws UsageError for d > 32766 and
/// DeviceError if LAPACK fails.
[[nodiscard]] EigenDecomposition eigen_decomposition(Eigen::MatrixXd symmetric);

/// The eigenvalues alone, ascending: a third of the work.
[[nodiscard]] Eigen::VectorXd eigenvalues(Eigen::MatrixXd symmetric);

/// The greatest eigenvalue, or less: what 24 steps of Lanczos find of it, in O(d^2). An eigenvalue
/// that stands well apart from the others is found to many digits; of one in a crowd some per cent
/// are missing. Reads the lower triangle; d >= 1.
[[nodiscard]] double greatest_eigenvalue_found(const Eigen::MatrixXd& symmetric);

/// Bound on the l2 distance between the computed and the true eigenvalues of a symmetric d x d
/// matrix of spectral norm at most `norm`: sqrt(d) times the backward error 16 d u norm, u = 2^-53.
/// LAPACK promises p(d) u norm with p a "modestly growing function"; that 16 d covers p is an
/// assumption of the privacy proof (docs/privacy.md#lapack), tested against high precision.
[[nodiscard]] double eigenvalue_error(std::size_t d, double norm);

}  // namespace dpcov::detail
