// SeparateCov: eigenvalues and eigenvectors released apart.
//
// Source       Dong, Liang, Yi 2022, section 3 (SeparateCov) and appendix (pure DP)
// Neighbours   replace one row, n public
// Sensitivity  of the matrix as GaussCov's, LapCov's or WishartCov's. Of the ordered eigenvalues
//              sqrt(2) tau^2 / n in l2 (Hoffman and Wielandt) and 2 tau^2 / n in l1 (Mirsky), plus
//              what LAPACK may err by on either side
// Budget       rho/2 on a GaussCov, or epsilon/2 on a LapCov or WishartCov, whose eigenvectors are
//              kept; the rest on the eigenvalues
// Output       P~ diag(lambda~) P~^T, both ordered by value. `best`: isotropic noise (Wishart noise
//              under pure DP from d = 3 on), noisy eigenvalues clamped to [0, tau^2] and sorted.
//              `published`: Wigner noise, clamped. `paper`: Wigner noise, as drawn.
// Assumes      the backward error bound of LAPACK's symmetric eigensolver (docs/privacy.md#lapack)
// Proof        docs/privacy.md#separatecov
#pragma once

#include "dpcov/mechanism.hpp"
#include "mechanism/release_steps.hpp"

namespace dpcov::detail {

/// Greatest l1 distance between the eigenvalues of neighbours' clipped Grams, n rows each, as
/// LAPACK computes them and rounded to integers, in lattice units: a matrix moves them by its
/// nuclear norm at most, which is 2 full weights for the two rows that differ, and less than
/// d^(3/2) for a Gram's own rounding; l1 is at most sqrt(d) times l2 for the rest.
[[nodiscard]] double eigenvalue_l1_sensitivity(std::size_t d, double n);

/// Spends the budget on SeparateCov of the rows clipped to 2^-clip_exponent B: Gaussian noise for
/// Rho; for Epsilon Laplace noise, and Wishart noise for the eigenvectors of `best` above d = 2.
template <class Share>
[[nodiscard]] CovarianceEstimate separate_estimate(const SecondMoment& secret, int clip_exponent,
                                                   Share budget, Variant variant,
                                                   RandomSource& random);

/// The catalogue's `separate`, and `clip-separate` when options.clip is set.
[[nodiscard]] Release separate_cov(const SecondMoment& secret, const Budget& budget,
                                   const MechanismOptions& options, RandomSource& random);

}  // namespace dpcov::detail
