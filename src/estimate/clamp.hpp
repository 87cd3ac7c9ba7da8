// Eigenvalues cut to what those of a covariance can be. Post-processing.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// Each value clamped to [0, upper]. With the eigenvectors kept this is the projection onto
/// {0 <= A <= upper I}, a convex set that the covariance of rows of norm at most sqrt(upper) lies
/// in, so it never adds error.
[[nodiscard]] Eigen::VectorXd clamp_eigenvalues(const Eigen::VectorXd& values, double upper);

}  // namespace dpcov::detail
