// How much the Gram of a few rows differs from that of many, by which rows happened to be drawn.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// Variances of the coordinates of u uᵀ, u = z / |z| and z centred Gaussian with independent
/// coordinates, scaled so that E[u_i^2] = shape_i: the angular Gaussian law, rows of one length
/// whose directions have that second moment. Entry (i, i) is the variance of u_i^2, (i, j) that of
/// sqrt(2) u_i u_j, a coordinate orthonormal for the Frobenius product; the lower and upper
/// triangle hold the same. `shape` >= 0, summing to one. O(d^2). docs/algorithms.md#shared-basis.
[[nodiscard]] Eigen::MatrixXd direction_variances(const Eigen::VectorXd& shape);

}  // namespace dpcov::detail
