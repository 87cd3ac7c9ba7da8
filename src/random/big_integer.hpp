// Unbounded integers (GMP), for the rare paths where 128 bits may not do. Their operator>> rounds
// down, as the built-in one does.
#pragma once

#include <gmpxx.h>

#include <cstdint>

#include "arithmetic/wide_integer.hpp"

namespace dpcov::detail {

[[nodiscard]] inline mpz_class to_big(std::uint64_t value) {
    return {static_cast<unsigned long>(value)};
}
[[nodiscard]] mpz_class to_big(Int128 value);

/// 2^exponent; exponent >= 0.
[[nodiscard]] inline mpz_class power_of_two(int exponent) {
    return mpz_class(1) << static_cast<mp_bitcnt_t>(exponent);
}

/// The nearest Int128: `value` itself, or the end of the range that it lies beyond.
[[nodiscard]] Int128 clamp_to_int128(const mpz_class& value);

}  // namespace dpcov::detail
