// Exactly rounded Gaussian noise: the workhorse of every zCDP mechanism.
//
// The law of the output is that of value + sigma Z, Z a real N(0, 1) variable, rounded to the
// nearest point of a public grid, exactly: integers and certified enclosures decide everything, no
// hardware floating point takes part. As rounding the sum is post-processing of the continuous
// Gaussian mechanism, the output has exactly that mechanism's privacy, whatever the grid: an
// integer query of l2 sensitivity D is (D / sigma)^2 / 2 - zCDP.
// The idea of sampling the normal law exactly, digit by digit, is Karney's (ACM TOMS 42(1), 2016);
// the algorithm here is table rejection. Derivation and proof: docs/sampling.md#gaussian.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "arithmetic/wide_integer.hpp"
#include "random/gaussian_noise.hpp"
#include "random/lazy_number.hpp"
#include "random/random_source.hpp"

namespace dpcov {

/// value + sigma Z rounded to the nearest multiple of 2^grid_log2, Z ~ N(0, 1) fresh.
/// |value| < 2^120. A sum outside the range of Int128, which has probability below exp(-2^50),
/// would become the nearest number in it.
[[nodiscard]] Int128 add_gaussian(RandomSource& random, Int128 value, const GaussianNoise& noise);

/// The same for every entry, independently.
void add_gaussian(RandomSource& random, std::span<Int128> values, const GaussianNoise& noise);

/// A real N(0, 1) variable before any rounding: it lies in [floor, floor + 1] / 2^fraction_bits,
/// and its further digits are independent fair bits, to be drawn when a decision needs them.
struct LazyNormal {
    static constexpr int fraction_bits = 55;

    std::int64_t floor = 0;
    /// The same number to more digits, where accepting it took some of them.
    std::optional<detail::LazyNumber> finer;
};

/// A fresh one. |Z| >= 2^8, which has probability below exp(-2^15), would come out wrong.
[[nodiscard]] LazyNormal lazy_normal(RandomSource& random);

}  // namespace dpcov
