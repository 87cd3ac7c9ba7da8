// Projection of eigenvalues onto the solid simplex. Post-processing: sees no un-noised data.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// The nearest point of {u >= 0, sum u <= bound} and what it took to get there.
struct SimplexProjection {
    Eigen::VectorXd values;  ///< max(0, v_i - shift), in the order of v
    double shift = 0.0;      ///< >= 0; above 0 when the bound on the sum binds
};

/// The projection of `values` (any order, length >= 1), bound >= 0, by sorting (Held, Wolfe,
/// Crowder 1974). With the eigenvectors kept it is the Frobenius projection of a symmetric matrix
/// onto {A positive semidefinite, tr A <= bound}, because that set and the norm do not change under
/// rotation: it never moves away from a matrix of the set.
[[nodiscard]] SimplexProjection project_onto_simplex(const Eigen::VectorXd& values, double bound);

}  // namespace dpcov::detail
