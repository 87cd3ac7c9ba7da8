// Stratified: every norm stratum's Gram with noise to its own measure, each at the full budget; the
// rest is post-processing.
//
// Source       this project; the paper's tail-sensitive bound without a private threshold
// Neighbours   replace one row, n public
// Sensitivity  zCDP: r_k^2 / n for a stratum that one of two neighbours' rows is in, sqrt(2) r_k^2
// / n
//              for one that both are in; r_k = 2^-k B. Pure DP: r_k^2 / n in the nuclear norm for
//              each of the two rows, in its stratum
// Budget       all of it on each stratum, and all of it in all: a replaced row touches at most two
// Output       spectral/strata of Sigma_k + N_k, k = 39, ..., 0; N_k isotropic Gaussian noise of
//              scale r_k^2 / (sqrt(rho) n), or under pure DP the difference of two
//              Wishart_d(d + 1, c I) matrices, c = r_k^2 / (epsilon n); projected to the positive
//              semidefinite matrices of trace at most B^2. The same under every variant
// Assumes      nothing beyond the exact samplers and the secret random source
// Proof        docs/privacy.md#stratified
#pragma once

#include "dpcov/mechanism.hpp"
#include "mechanism/release_steps.hpp"

namespace dpcov::detail {

/// Sigma_k + N_k for stratum k, in units of the squared norm bound, with Gaussian noise. The noise
/// scale is s: entries have variance s^2 on the diagonal, s^2 / 2 off it. All strata together cost
/// `rho`. A stratum without rows is released like any other.
[[nodiscard]] NoisyMatrix noisy_stratum(const SecondMoment& secret, int k, Rho rho,
                                        RandomSource& random);

/// The same with Wishart noise: all strata together cost `epsilon`.
[[nodiscard]] NoisyMatrix noisy_stratum(const SecondMoment& secret, int k, Epsilon epsilon,
                                        RandomSource& random);

/// The catalogue's `stratified`.
[[nodiscard]] Release stratified_cov(const SecondMoment& secret, const Budget& budget,
                                     const MechanismOptions& options, RandomSource& random);

}  // namespace dpcov::detail
