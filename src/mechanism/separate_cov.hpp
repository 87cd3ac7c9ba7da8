// SeparateCov: eigenvalues and eigenvectors released apart.
//
// Source       Dong, Liang, Yi 2022, section 3 (SeparateCov) and appendix (pure DP)
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows
// Sensitivity  of the matrix as GaussCov's, LapCov's or WishartCov's. Of the ordered eigenvalues
//              sqrt(m) tau^2 / n in l2 (Hoffman and Wielandt) and m tau^2 / n in l1 (Mirsky), plus
//              what LAPACK may err by on either side. m = 1 in one dimension
// Budget       rho/2 on a GaussCov, or epsilon/2 on a LapCov or WishartCov, whose eigenvectors are
//              kept; the rest on the eigenvalues
// Output       P~ diag(lambda~) P~^T, both ordered by value. `best`: isotropic noise (Wishart noise
//              under pure DP for d > m), noisy eigenvalues clamped to [0, tau^2] and sorted.
//              `published`: Wigner noise, clamped. `paper`: Wigner noise, as drawn.
// Assumes      the backward error bound of LAPACK's symmetric eigensolver (docs/privacy.md#lapack)
// Proof        docs/privacy.md#separatecov
#pragma once

#include "estimate/covariance_estimate.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// What SeparateCov spends on either of its parts.
template <class Share>
struct SeparateShares {
    Share eigenvalues;
    Share eigenvectors;
};

/// Spends the shares on SeparateCov of the rows clipped to 2^-clip_exponent B: Gaussian noise for
/// Rho; for Epsilon Laplace noise, and Wishart noise for the eigenvectors of `best` where it is
/// less.
template <class Share>
[[nodiscard]] CovarianceEstimate separate_estimate(const CountedMoment& moment, int clip_exponent,
                                                   const SeparateShares<Share>& shares,
                                                   Variant variant, RandomSource& random);

/// The catalogue's `separate`, and `clip-separate` when options.clip is set.
[[nodiscard]] Release separate_cov(const SecretMoment& secret, const Budget& budget,
                                   const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
