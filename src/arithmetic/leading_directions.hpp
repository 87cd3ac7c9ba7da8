// Directions in which a symmetric matrix is greatest, roughly, at a small part of the cost of its
// eigenvectors.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// Orthonormal vectors, d x min(count, d), near the eigenvectors of the greatest eigenvalues,
/// greatest first: what 16 steps of power iteration with eight vectors find of them, in O(d^2). Of
/// eigenvalues in a crowd they are mixtures. `symmetric` is d x d, positive semidefinite or nearly;
/// d x 0 for a matrix of zeros. `count` is at most 8.
[[nodiscard]] Eigen::MatrixXd rough_leading_directions(const Eigen::MatrixXd& symmetric,
                                                       Eigen::Index count);

}  // namespace dpcov::detail
