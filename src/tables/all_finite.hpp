// Whether values are neither NaN nor infinite, many at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace dpcov::detail {

// In vector instructions, hence no early exit, and integers. What is not finite has an exponent of
// all ones: one more is carried to the sign's place.
[[nodiscard]] inline bool all_finite(std::span<const double> values) noexcept {
    constexpr std::uint64_t exponent = 0x7FF0'0000'0000'0000;
    constexpr std::uint64_t one_more = 0x0010'0000'0000'0000;
    std::uint64_t carried = 0;
    for (const double value : values) {
        carried |= (std::bit_cast<std::uint64_t>(value) & exponent) + one_more;
    }
    return carried >> 63U == 0;
}

}  // namespace dpcov::detail
