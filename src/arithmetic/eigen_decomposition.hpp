// Eigenvalues and eigenvectors of a symmetric matrix, by LAPACK's dsyevd and what that is made of.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace dpcov::detail {

/// What LAPACK computes in. In single precision, floats, it takes half of the time and memory. Only
/// for what noise has made inexact: no proof covers it.
enum class Precision { full, single };

/// A = vectors * diag(values) * vectors^T, values ascending.
struct EigenDecomposition {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
};

/// Reads the upper triangle of `symmetric` (d x d, finite). Throws UsageError for d > 32766 and
/// DeviceError if LAPACK fails.
[[nodiscard]] EigenDecomposition eigen_decomposition(Eigen::MatrixXd symmetric);

/// The `count` greatest eigenvalues, ascending, and their eigenvectors; 1 <= count <= d. Where they
/// are an eighth of all or fewer it takes half the time, by LAPACK's dsyevr, on a copy: that
/// gives up now and then, and then all are found.
[[nodiscard]] EigenDecomposition greatest_eigenvectors(Eigen::MatrixXd symmetric,
                                                       Eigen::Index count);

/// A symmetric matrix with other eigenvalues.
struct SpectralMap {
    Eigen::VectorXd values;  ///< of the matrix that was given, ascending
    Eigen::VectorXd mapped;
    Eigen::MatrixXd matrix;  ///< the same eigenvectors, the mapped eigenvalues; exactly symmetric
};

/// `map` gives each of the ascending eigenvalues a new one. Of eigenvectors that cost d^2 each
/// there are only as many as change or as do not become zero, whichever are fewer. Limits and
/// exceptions are those of eigen_decomposition. Reads the lower triangle. In single precision an
/// eigenvalue of the result may be off by its rounding, and so below zero where none was mapped so.
[[nodiscard]] SpectralMap with_eigenvalues(
    const Eigen::MatrixXd& symmetric,
    const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& map,
    Precision precision = Precision::full);

/// vectors * diag(values) * vectors^T, exactly symmetric.
[[nodiscard]] Eigen::MatrixXd assemble(const Eigen::MatrixXd& vectors,
                                       const Eigen::VectorXd& values);

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
