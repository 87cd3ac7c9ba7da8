// Rounding value + sigma Z to the output grid when |Z| is known by its leading digits only.
#pragma once

#include <cstdint>
#include <optional>

#include "arithmetic/wide_integer.hpp"
#include "random/gaussian_noise.hpp"
#include "random/lazy_number.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// floor((value + sigma Z) / g + 1/2) g for |Z| somewhere in [digits, digits + 1] /
/// 2^fraction_bits, if that is one number throughout and 128 bits hold all that comes up on the
/// way. digits < 2^58, |value| < 2^120.
[[nodiscard]] inline std::optional<Int128> round_within_128_bits(Int128 value,
                                                                 const GaussianNoise& noise,
                                                                 bool negative,
                                                                 std::uint64_t digits,
                                                                 int fraction_bits) {
    // In units of 2^(exponent - fraction_bits), a lattice unit is 2^unit_log2 and a grid step
    // 2^step_log2; every sum stays below 2^124.
    const int unit_log2 = fraction_bits - noise.exponent;
    const int step_log2 = unit_log2 + noise.grid_log2;
    if (unit_log2 < 0 || step_log2 < 1 || step_log2 > 122) {
        return std::nullopt;
    }
    const Int128 whole_steps = value >> noise.grid_log2;
    const Int128 remainder = value - (whole_steps << noise.grid_log2);
    const Int128 shifted = (remainder << unit_log2) + (Int128{1} << (step_log2 - 1));
    const auto product = static_cast<Int128>(UInt128{noise.mantissa} * digits);
    // The sum lies in [low, low + mantissa].
    const Int128 low = negative ? shifted - product - noise.mantissa : shifted + product;
    const Int128 steps = low >> step_log2;
    if ((low + noise.mantissa) >> step_log2 != steps) [[unlikely]] {
        return std::nullopt;
    }
    return (whole_steps + steps) << noise.grid_log2;
}

/// The same without limits, drawing as many further digits of |Z| as it takes. A result outside the
/// range of Int128 becomes the nearest number in it.
[[nodiscard]] Int128 round_exactly(RandomSource& random, Int128 value, const GaussianNoise& noise,
                                   bool negative, LazyNumber magnitude);

}  // namespace dpcov::detail
