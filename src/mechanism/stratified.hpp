// Stratified: every norm stratum's Gram with noise to its own measure, each at the full budget; the
// rest is post-processing.
//
// Source       this project; the paper's tail-sensitive bound without a private threshold
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows
// Sensitivity  each differing row moves its own stratum by r_k^2 / n, r_k = 2^-k B: in the
//              Frobenius norm for zCDP, where two rows in one stratum make sqrt(2) r_k^2 / n, in
//              the nuclear norm for pure DP
// Budget       all of it on each stratum, and all of it in all: a replaced row touches at most two,
//              one row more touches one
// Output       estimate/strata of Sigma_k + N_k, k = 39, ..., 0; N_k isotropic Gaussian noise of
//              scale sqrt(m / 2) r_k^2 / (sqrt(rho) n), or under pure DP the difference of two
//              Wishart_d(d + 1, c I) matrices, c = m r_k^2 / (2 epsilon n); projected to the
//              positive semidefinite matrices of trace at most B^2. The same under every variant
// Assumes      nothing beyond the exact samplers and the secret random source
// Proof        docs/privacy.md#stratified
#pragma once

#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/release_steps.hpp"

namespace dpcov::detail {

/// Sigma_k + N_k for stratum k, in units of the squared norm bound, with Gaussian noise. The noise
/// scale is s: entries have variance s^2 on the diagonal, s^2 / 2 off it. All strata together cost
/// `rho`. A stratum without rows is released like any other.
[[nodiscard]] NoisyMatrix noisy_stratum(const CountedMoment& moment, int k, Rho rho,
                                        RandomSource& random);

/// The same with Wishart noise: all strata together cost `epsilon`.
[[nodiscard]] NoisyMatrix noisy_stratum(const CountedMoment& moment, int k, Epsilon epsilon,
                                        RandomSource& random);

/// The catalogue's `stratified`.
[[nodiscard]] Release stratified_cov(const SecretMoment& secret, const Budget& budget,
                                     const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
