// WishartCov: the clipped covariance plus two-sided Wishart noise. Pure epsilon-DP.
//
// Source       this project; the noise is the difference of two of the Wishart matrices of Jiang,
//              Xie, Zhang 2016, which alone are not private
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows. With centring mean and n are from one query with the matrix
//              (mechanism/joint_moment)
// Sensitivity  m tau^2 / n in the nuclear norm (tau^2 / n in one dimension)
// Budget       all of epsilon on the matrix
// Output       Sigma + P - Q, P and Q independent Wishart_d(d + 1, c I), c = m tau^2 /
//              (2 epsilon n): an error of sqrt(2 d) (d + 1) c, against sqrt(2 / m) d (d + 1) c of
//              the best Laplace noise. `best`: projected to the positive semidefinite matrices of
//              trace at most tau^2. `published`: eigenvalues clamped to [0, tau^2]. `paper`: as
//              drawn.
// Assumes      nothing beyond the exact sampler (and so the error bound of a BLAS that only adds
//              products) and the secret random source
// Proof        docs/privacy.md#wishartcov
#pragma once

#include "estimate/covariance_estimate.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/noisy_matrix.hpp"

namespace dpcov::detail {

/// Spends `epsilon` on the covariance of the rows clipped to 2^-clip_exponent B.
[[nodiscard]] NoisyMatrix wishart_covariance(const CountedMoment& moment, int clip_exponent,
                                             Epsilon epsilon, RandomSource& random);

/// WishartCov on the rows clipped to tau = 2^-clip_exponent B, with its spectrum made feasible as
/// the variant says. `best` projects to traces of at most tau^2 and `trace_bound`, a public number.
[[nodiscard]] CovarianceEstimate wishart_estimate(const CountedMoment& moment, int clip_exponent,
                                                  Epsilon epsilon, Variant variant,
                                                  double trace_bound, RandomSource& random);

/// The catalogue's `wishart`.
[[nodiscard]] Release wishart_cov(const SecretMoment& secret, const Budget& budget,
                                  const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
