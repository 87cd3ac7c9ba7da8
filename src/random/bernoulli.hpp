// Coins with exactly the probability asked for: integers only, no rounding anywhere.
// Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
// Algorithm 1. Proofs: docs/sampling.md#coins.
#pragma once

#include <cstdint>

#include "arithmetic/wide_integer.hpp"
#include "random/random_source.hpp"

namespace dpcov {

/// Uniform on {0, ..., bound - 1}; bound >= 1. Takes one word per trial where bound <= 2^64, else
/// two; fewer than two trials are expected.
[[nodiscard]] UInt128 uniform_below(RandomSource& random, UInt128 bound);

/// True with probability numerator / denominator; 0 <= numerator <= denominator, denominator >= 1.
[[nodiscard]] bool bernoulli(RandomSource& random, UInt128 numerator, UInt128 denominator);

/// True with probability exp(-numerator / denominator); denominator >= 1.
[[nodiscard]] bool bernoulli_exp_minus(RandomSource& random, UInt128 numerator,
                                       UInt128 denominator);

}  // namespace dpcov
