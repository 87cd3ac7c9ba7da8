// What the sums of a release were divided by, and their noise.
#pragma once

#include "dpcov/release.hpp"
#include "dpcov/statistics.hpp"

namespace dpcov::detail {

/// What the sums were divided by: n, or the noisy n.
[[nodiscard]] double rows_of(const Release& release);

/// The variance of the noise on a diagonal entry of the sum of all strata's second moments.
[[nodiscard]] double noise_variance_of(const Statistics& statistics);

}  // namespace dpcov::detail
