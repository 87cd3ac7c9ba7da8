// Stratified: every norm stratum's Gram with noise to its own measure, each at the full budget; the
// rest is post-processing.
//
// Source       this project; the paper's tail-sensitive bound without a private threshold
// Neighbours   replace one row, n public
// Sensitivity  r_k^2 / n for a stratum that one of two neighbours' rows is in, sqrt(2) r_k^2 / n
//              for one that both are in; r_k = 2^-k B
// Budget       rho on each stratum, rho in all: a replaced row touches at most two
// Output       spectral/strata of Sigma_k + N_k, k = 39, ..., 0; N_k isotropic Gaussian noise of
//              scale r_k^2 / (sqrt(rho) n); projected to the positive semidefinite matrices of
//              trace at most B^2. The same under every variant
// Assumes      nothing beyond the exact sampler and the secret random source
// Proof        docs/privacy.md#stratified
#pragma once

#include "dpcov/mechanism.hpp"
#include "mechanism/release_steps.hpp"

namespace dpcov::detail {

/// Sigma_k + N_k for stratum k, in units of the squared norm bound. All strata together cost `rho`.
/// A stratum without rows is released like any other.
[[nodiscard]] NoisyMatrix noisy_stratum(const SecondMoment& secret, int k, Rho rho,
                                        RandomSource& random);

/// The catalogue's `stratified`.
[[nodiscard]] Release stratified_cov(const SecondMoment& secret, const Budget& budget,
                                     const MechanismOptions& options, RandomSource& random);

}  // namespace dpcov::detail
