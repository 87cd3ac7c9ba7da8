// Projection: GaussCov, then the nearest matrix that a covariance could be.
//
// Source       Dong, Liang, Yi 2022, appendix C (projection mechanism)
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows
// Sensitivity  sqrt(m) B^2 / n in the Frobenius norm; of one column B^2 / n
// Budget       all of rho on the matrix
// Output       the Frobenius projection of Sigma + N onto {A psd, tr A <= B^2}, by one
//              eigendecomposition. `best`: N isotropic; `paper`, `published`: Wigner, which has
//              twice the variance off the diagonal.
// Assumes      nothing beyond the exact sampler and the secret random source
// Proof        docs/privacy.md#projection
#pragma once

#include "estimate/covariance_estimate.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// Spends `rho` on the projected covariance.
[[nodiscard]] CovarianceEstimate projection_estimate(const CountedMoment& moment, Rho rho,
                                                     Variant variant, RandomSource& random);

/// The catalogue's `projection`.
[[nodiscard]] Release projection_cov(const SecretMoment& secret, const Budget& budget,
                                     const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
