// GaussCov: the clipped covariance plus a symmetric Gaussian matrix.
//
// Source       Dong, Liang, Yi 2022, section 3 (Wigner noise); isotropic noise: docs/privacy.md.
// Neighbours   replace one row, n public; or add or remove one, n from the same query. They differ
//              in m = 2 or 1 rows. With centring the sum is in that query (mechanism/joint_moment)
// Sensitivity  sqrt(m) tau^2 / n in the Frobenius norm (tau^2 / n in one dimension)
// Budget       all of rho on the matrix
// Output       Sigma + N. `wigner`: N's upper triangle has deviation s = sqrt(m / 2) tau^2 /
//              (sqrt(rho) n). `isotropic`: s on the diagonal, s / sqrt(2) off it, which is the
//              same zCDP for half the squared error. Eigenvalues clamped to [0, tau^2], but for
//              Variant::paper.
// Assumes      nothing beyond the exact sampler and the secret random source
// Proof        docs/privacy.md#gausscov
#pragma once

#include "estimate/covariance_estimate.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "random/symmetric_noise.hpp"

namespace dpcov::detail {

/// Spends `rho` on the covariance of the rows clipped to 2^-clip_exponent B.
[[nodiscard]] NoisyMatrix noisy_second_moment(const CountedMoment& moment, int clip_exponent,
                                              Rho rho, NoiseLaw law, RandomSource& random);

/// GaussCov on the rows clipped to 2^-clip_exponent B, with its spectrum made feasible as the
/// variant says.
[[nodiscard]] CovarianceEstimate gauss_estimate(const CountedMoment& moment, int clip_exponent,
                                                Rho rho, Variant variant, RandomSource& random);

/// The catalogue's `gauss`, and `clip-gauss` when options.clip is set.
[[nodiscard]] Release gauss_cov(const ReleasedRows& rows, const Budget& budget,
                                const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
