// Centred covariance: a second moment less the outer product of a mean that is released apart. For
// methods whose noise is not on the sums themselves; the others have both from one query
// (mechanism/joint_moment).
//
// Source       composition of a mechanism for the second moment with a Gaussian mean, or a Laplace
//              mean under pure DP
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows
// Sensitivity  of the sum of the rows m B in l2, m sqrt(d) B in l1, plus the rounding of the sums
// Budget       a share w of rho or epsilon on the mean, the rest on the mechanism; w near
//              c / (1 + c), c = sqrt(8 / d), or (16 / (d + 1)^2)^(1/3) for epsilon, which makes the
//              sum of the two squared errors least for a mean of norm B and a GaussCov or LapCov
// Output       A - m m^T + v I with m the noisy mean and v its known noise variance, eigenvalues
//              clamped to [0, B^2]
// Assumes      what the mechanism assumes
// Proof        docs/privacy.md#centred
#pragma once

#include <functional>

#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// A mechanism for the uncentred covariance, which counts the rows: its release says how many.
using UncenteredRelease =
    std::function<Release(const SecretMoment& secret, const Budget& rest,
                          const ReleaseOptions& uncentered, RandomSource& random)>;

/// Spends `budget` on the mean and, through `second_moment`, on the uncentred covariance.
[[nodiscard]] Release centered(const SecretMoment& secret, const Budget& budget,
                               const ReleaseOptions& options, RandomSource& random,
                               const UncenteredRelease& second_moment);

}  // namespace dpcov::detail
