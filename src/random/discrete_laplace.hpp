// Exact Laplace and geometric noise on the integers.
// Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
// Algorithm 2. Proofs: docs/sampling.md#laplace.
#pragma once

#include <cstdint>

#include "dpcov/random.hpp"
#include "dpcov/wide_integer.hpp"

namespace dpcov {

/// The scale numerator / denominator of a discrete Laplace law, both at least 1.
struct LaplaceScale {
    std::uint64_t numerator = 1;
    std::uint64_t denominator = 1;
};

/// The least multiple of 2^-63 that is at least `scale`: `scale` itself from 2^-11 up.
/// Throws UsageError unless 0 < scale < 2^63.
[[nodiscard]] LaplaceScale laplace_scale(double scale);

/// X on the integers with P(X = x) proportional to exp(-|x| / scale). A query of integer
/// sensitivity D is (D / scale)-DP with it.
[[nodiscard]] Int128 discrete_laplace(RandomSource& random, LaplaceScale scale);

/// X >= 0 with P(X = x) proportional to exp(-x / scale).
[[nodiscard]] Int128 one_sided_geometric(RandomSource& random, LaplaceScale scale);

}  // namespace dpcov
