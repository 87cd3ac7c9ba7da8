// The oracle: the best that eigenvalues can make of noisy eigenvectors, which takes the truth to
// know. A limit to compare with. PUBLIC DATA ONLY.
#pragma once

#include <Eigen/Core>

#include "dpcov/budget.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/noisy_matrix.hpp"

namespace dpcov::research {

/// The whole covariance with the noise that dpcov's best mechanisms have, over the norm bound
/// squared: isotropic Gaussian under zCDP, Wishart under pure DP.
[[nodiscard]] detail::NoisyMatrix noisy_whole(const detail::CountedMoment& moment, Rho rho,
                                              RandomSource& random);
[[nodiscard]] detail::NoisyMatrix noisy_whole(const detail::CountedMoment& moment, Epsilon epsilon,
                                              RandomSource& random);

/// The least Frobenius distance from `truth` of a matrix with the eigenvectors of `noisy`.
[[nodiscard]] double oracle_error(const Eigen::MatrixXd& noisy, const Eigen::MatrixXd& truth);

}  // namespace dpcov::research
