// AdaptiveCov: chooses its own clipping threshold, then releases by the better of two mechanisms.
//
// Source       Dong, Liang, Yi 2022, Algorithm 3
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows
// Sensitivity  radius: counts, 1. Trace: r~^2 / n. Threshold: Bias n / r~^2, 1. Release: that of
//              GaussCov (LapCov or WishartCov under pure DP) or SeparateCov at tau~
// Budget       of rho, or of epsilon under pure DP:
//              paper      1/8 radius, 1/8 trace, 1/4 threshold, 1/2 release
//              published  1/8 trace, 1/8 threshold, 3/4 release (r~ = B)
//              best       1/16 trace, 1/8 threshold, 13/16 release (r~ = B)
//              with options.full_norms the trace's share goes to the release
// Output       the release at tau~, the last threshold r~, r~/2, r~/4, ..., 2^-dn B before the one
//              whose clipping bias appears to exceed the release's noise
// Assumes      what SeparateCov assumes
// Proof        docs/privacy.md#adaptivecov
//
// The threshold is decided on Diff(tau) = (Bias(tau) - Noise(tau)) n / r~^2 >= 0 and the release on
// which of the two noise levels is lower, at the tau~ that is then used. Noise(tau) is what
// mechanism/noise_levels has for the variant. `paper` and `published` count the bias of every row
// at its octave's upper edge, as Algorithm 3 does, `best` exactly. Against the text, in all
// variants: Diff is divided by r~^2, and the trace is at least 1e-16 r~^2 (docs/privacy.md).
#pragma once

#include "mechanism/mechanism.hpp"
#include "mechanism/noise_levels.hpp"

namespace dpcov::detail {

/// The catalogue's `adaptive`.
[[nodiscard]] Release adaptive_cov(const SecretMoment& secret, const Budget& budget,
                                   const ReleaseOptions& options, RandomSource& random);

/// With other constants in the levels of `best`, to measure what they are worth.
[[nodiscard]] Release adaptive_cov_with(const LevelConstants& constants, const SecretMoment& secret,
                                        const Budget& budget, const ReleaseOptions& options,
                                        RandomSource& random);

}  // namespace dpcov::detail
