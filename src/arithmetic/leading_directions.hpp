// Directions in which a symmetric matrix is greatest, roughly, at a small part of the cost of its
// eigenvectors.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// Orthonormal vectors, at most `count` (below 8) of length d, near the eigenvectors of the
/// greatest eigenvalues, greatest first: what 16 steps of power iteration with eight vectors find
/// of them, in O(d^2). Of eigenvalues in a crowd they are mixtures. Fewer where the last eigenvalue
/// would equal the next one, to 2^-26 of the greatest, and none where the first does. `symmetric`
/// is d x d, positive semidefinite or nearly; d x 0 for a matrix of zeros.
[[nodiscard]] Eigen::MatrixXd rough_leading_directions(const Eigen::MatrixXd& symmetric,
                                                       Eigen::Index count);

}  // namespace dpcov::detail
