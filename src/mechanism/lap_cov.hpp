// LapCov: the clipped covariance plus a symmetric matrix of Laplace noise. Pure epsilon-DP.
//
// Source       Dong, Liang, Yi 2022, appendix (pure DP; Wigner noise); isotropic noise:
//              docs/privacy.md
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows
// Sensitivity  in l1, over the upper triangle: sqrt(m) d tau^2 / n as the paper counts it, every
//              entry twice; over the coordinates (A_ii, sqrt(2) A_ij)
//              sqrt(m d (d + 1) / 2) tau^2 / n; of one column tau^2 / n
// Budget       all of epsilon on the matrix
// Output       Sigma + N. `wigner`: N's upper triangle has Laplace scale sqrt(m) d tau^2 /
//              (epsilon n). `isotropic`: b = sqrt(m d (d + 1) / 2) tau^2 / (epsilon n) on the
//              diagonal, b / sqrt(2) off it, half the error. `best`: isotropic, projected to the
//              positive semidefinite matrices of trace at most tau^2. `published`: wigner,
//              eigenvalues clamped to [0, tau^2]. `paper`: wigner, as drawn.
// Assumes      nothing beyond the exact sampler and the secret random source
// Proof        docs/privacy.md#lapcov
#pragma once

#include "estimate/covariance_estimate.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "random/symmetric_noise.hpp"

namespace dpcov::detail {

/// Spends `epsilon` on the covariance of the rows clipped to 2^-clip_exponent B.
[[nodiscard]] NoisyMatrix noisy_second_moment(const CountedMoment& moment, int clip_exponent,
                                              Epsilon epsilon, NoiseLaw law, RandomSource& random);

/// LapCov on the rows clipped to tau = 2^-clip_exponent B, with its spectrum made feasible as the
/// variant says. `best` projects to traces of at most tau^2 and `trace_bound`, a public number.
[[nodiscard]] CovarianceEstimate lap_estimate(const CountedMoment& moment, int clip_exponent,
                                              Epsilon epsilon, Variant variant, double trace_bound,
                                              RandomSource& random);

/// The catalogue's `laplace`, and `clip-laplace` when options.clip is set.
[[nodiscard]] Release lap_cov(const SecretMoment& secret, const Budget& budget,
                              const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
