// Centred covariance: a second moment less the outer product of a private mean.
//
// Source       composition of a mechanism for the second moment with a Gaussian mean
// Neighbours   replace one row, n public
// Sensitivity  of the mean 2 B / n in l2, plus the rounding of the sums
// Budget       a share w of rho on the mean, the rest on the mechanism; w near
//              c / (1 + c), c = sqrt(8 / d), which makes the sum of the two squared errors least
//              for a mean of norm B and a GaussCov
// Output       A - m m^T + v I with m the noisy mean and v its known noise variance, eigenvalues
//              clamped to [0, B^2]
// Assumes      what the mechanism assumes
// Proof        docs/privacy.md#centred
#pragma once

#include <functional>

#include "dpcov/mechanism.hpp"

namespace dpcov::detail {

/// Spends `budget` on the mean and, through `second_moment`, on the uncentred covariance.
[[nodiscard]] Release centered(
    const SecondMoment& secret, const Budget& budget, const MechanismOptions& options,
    RandomSource& random,
    const std::function<Release(const Budget& rest, const MechanismOptions& uncentered)>&
        second_moment);

}  // namespace dpcov::detail
