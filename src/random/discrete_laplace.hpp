// Exact Laplace and geometric noise on the integers.
// Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
// Algorithm 2. Proofs: docs/sampling.md#laplace.
#pragma once

#include <cstdint>
#include <span>

#include "arithmetic/wide_integer.hpp"
#include "random/random_source.hpp"

namespace dpcov {

/// The scale numerator / denominator of a discrete Laplace law; 1 <= numerator <= 2^100,
/// 1 <= denominator.
struct LaplaceScale {
    UInt128 numerator = 1;
    std::uint64_t denominator = 1;
};

/// The least multiple of 2^-63 that is at least `scale`: `scale` itself from 2^-11 up.
/// Throws UsageError unless 0 < scale <= 2^100.
[[nodiscard]] LaplaceScale laplace_scale(double scale);

/// X on the integers with P(X = x) proportional to exp(-|x| / scale). A query of integer
/// sensitivity D is (D / scale)-DP with it.
[[nodiscard]] Int128 discrete_laplace(RandomSource& random, LaplaceScale scale);

/// Adds such an X to every entry, independently. A query of l1 sensitivity D is (D / scale)-DP with
/// it.
void add_discrete_laplace(RandomSource& random, std::span<Int128> values, LaplaceScale scale);

/// X >= 0 with P(X = x) proportional to exp(-x / scale).
[[nodiscard]] Int128 one_sided_geometric(RandomSource& random, LaplaceScale scale);

}  // namespace dpcov
