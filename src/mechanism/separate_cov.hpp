// SeparateCov: eigenvalues and eigenvectors released apart.
//
// Source       Dong, Liang, Yi 2022, section 3 (SeparateCov)
// Neighbours   replace one row, n public
// Sensitivity  of the matrix sqrt(2) tau^2 / n (Frobenius); of the ordered eigenvalues the same in
//              l2 (Hoffman and Wielandt), plus what LAPACK may err by on either side
// Budget       rho/2 on a GaussCov whose eigenvectors are kept, rho/2 on the eigenvalues
// Output       P~ diag(lambda~) P~^T, both ordered by value. `best`: isotropic noise, noisy
//              eigenvalues clamped to [0, tau^2] and sorted. `published`: Wigner noise, clamped.
//              `paper`: Wigner noise, as drawn.
// Assumes      the backward error bound of LAPACK's symmetric eigensolver (docs/privacy.md#lapack)
// Proof        docs/privacy.md#separatecov
#pragma once

#include "dpcov/mechanism.hpp"
#include "mechanism/release_steps.hpp"

namespace dpcov::detail {

/// Spends `rho` on SeparateCov of the rows clipped to 2^-clip_exponent B.
[[nodiscard]] CovarianceEstimate separate_estimate(const SecondMoment& secret, int clip_exponent,
                                                   Rho rho, Variant variant, RandomSource& random);

/// The catalogue's `separate`, and `clip-separate` when options.clip is set.
[[nodiscard]] Release separate_cov(const SecondMoment& secret, const Budget& budget,
                                   const MechanismOptions& options, RandomSource& random);

}  // namespace dpcov::detail
