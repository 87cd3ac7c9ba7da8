// CoinPress: noisy covariances of the rows, each step after whitening them by the step before.
//
// Source       Biswas, Dong, Kamath, Ullman 2020 (CoinPress, covariance estimation), with the
//              constants that Dong, Liang, Yi 2022 compare with
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows
// Sensitivity  of A Sigma A^T, A public: sqrt(m) R^2 / n in the Frobenius norm, R >= B |A|_2 (of
//              one column R^2 / n), plus what double arithmetic may err by on either side
// Budget       t = 1 to 5 steps: 3/4 of rho on the last, 1/4 in equal parts on those before it; all
//              on the only one
// Output       A_0 = I / B. Step i: Z_i = A_(i-1) Sigma A_(i-1)^T + N, made positive semidefinite,
//              and A_i = (Z_i + eta I)^(-1/2) A_(i-1), eta = sqrt(d/n) + d/(2n). In the end
//              A_(t-1)^-1 Z_t A_(t-1)^-T. N is Wigner noise for R = max(gamma, B |A|_2), where
//              gamma = eta(d, 0.1) is the length to which CoinPress clips whitened rows; `best`
//              has isotropic noise for R = B |A|_2, and projects what comes out in the end onto
//              {A psd, tr A <= B^2}. `published` takes absolute values of the
//              eigenvalues of Z_i, as the code does, the others clamp them at zero.
// Assumes      error bounds of double-precision matrix products, and LAPACK's
// Proof        docs/privacy.md#coinpress
//
// No row is ever clipped: rows are no longer than B, so whitened ones no longer than B |A|_2, which
// is public. Where that is at most gamma (always in the first step), so that CoinPress would not
// clip either, this is CoinPress; where it is above, this is more noise and no bias. So the Gram is
// all that is needed of the rows.
#pragma once

#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

inline constexpr int most_coinpress_steps = 5;

/// The catalogue's `coinpress`.
[[nodiscard]] Release coinpress_cov(const SecretMoment& secret, const Budget& budget,
                                    const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
