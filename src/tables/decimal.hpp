// Decimal numbers as most tables write them: a minus perhaps, digits, a point perhaps, more digits.
//
// std::from_chars reads these too, and every other form. Numbers are most of the time that a CSV
// takes, and this takes less of it: digits are taken eight at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "arithmetic/wide_integer.hpp"

namespace dpcov {

/// A number at the front of a text.
struct NumberInFront {
    double value = 0.0;      ///< finite
    std::size_t length = 0;  ///< of what spells it; 0 where none is taken
};

namespace decimal {

inline constexpr unsigned most_digits = 18;

constexpr std::array<std::uint64_t, most_digits + 1> powers_of_ten = [] {
    std::array<std::uint64_t, most_digits + 1> powers{1};
    for (std::size_t k = 1; k < powers.size(); ++k) {
        powers[k] = 10 * powers[k - 1];
    }
    return powers;
}();

/// The digits at the front of up to eight characters.
struct Digits {
    std::uint64_t value = 0;
    unsigned count = 0;
};

/// All eight at once, a byte of a word each, the first character in the lowest.
inline Digits digits_in_front(const char* text, std::size_t size) noexcept {
    constexpr std::size_t bytes = sizeof(std::uint64_t);
    constexpr std::uint64_t every_byte = 0x0101010101010101;
    std::uint64_t word = 0;  // the characters that are missing are no digits
    if (size >= bytes) {
        std::memcpy(&word, text, bytes);
    } else {
        std::memcpy(&word, text, size);
    }
    // A digit becomes 0 to 9 and stays below 128 when 118 is added; nothing else does both. What
    // that carries over reaches only bytes behind the first that is no digit.
    word ^= '0' * every_byte;
    const std::uint64_t no_digit = (word | (word + (128 - 10) * every_byte)) & (128 * every_byte);
    const auto count =
        static_cast<unsigned>(std::countr_zero(no_digit)) / 8;  // 8 where none is set
    if (count == 0) {
        return {};
    }
    // Zeros in front of the digits, then neighbours put together: pairs, fours, all eight.
    word <<= 8 * (bytes - count);
    word = word * 10 + (word >> 8);
    constexpr std::uint64_t every_fourth = 0x000000ff000000ff;
    word = ((word & every_fourth) * (100 + (std::uint64_t{1'000'000} << 32)) +
            ((word >> 16) & every_fourth) * (1 + (std::uint64_t{10'000} << 32))) >>
           32;
    return {.value = word, .count = count};
}

/// Takes the digits off the text and appends them to `value`, modulo 2^64. Returns how many.
inline std::size_t take_few_digits(std::string_view& text, std::uint64_t& value) noexcept {
    std::size_t taken = 0;
    while (taken < text.size() && text[taken] >= '0' && text[taken] <= '9') {
        value = value * 10 + static_cast<std::uint64_t>(text[taken] - '0');
        ++taken;
    }
    text.remove_prefix(taken);
    return taken;
}

/// The same, eight at most at once.
inline std::size_t take_eight_digits(std::string_view& text, std::uint64_t& value) noexcept {
    const Digits digits = digits_in_front(text.data(), text.size());
    value = value * powers_of_ten[digits.count] + digits.value;
    text.remove_prefix(digits.count);
    return digits.count;
}

/// digits / 10^places, correctly rounded to nearest, ties to even; places <= most_digits.
[[nodiscard]] double long_quotient(std::uint64_t digits, std::size_t places) noexcept;

inline double quotient(std::uint64_t digits, std::size_t places) noexcept {
    // Where both are doubles, as powers of ten up to 10^22 are, IEEE's division rounds once
    // (W. D. Clinger, PLDI 1990).
    if (digits <= std::uint64_t{1} << 53) {
        return static_cast<double>(static_cast<std::int64_t>(digits)) /
               static_cast<double>(static_cast<std::int64_t>(powers_of_ten[places]));
    }
    return long_quotient(digits, places);
}

/// No type of decimals has more digits behind the point, or more zeros left out at its end.
inline constexpr int most_places = 200;

/// digits / 10^places, correctly rounded: what the same number has as text. `places` is between
/// -most_places and most_places.
[[nodiscard]] double signed_quotient(Int128 digits, int places) noexcept;

}  // namespace decimal

/// Reads the decimal number that begins with the first character, up to what continues neither its
/// digits nor its point. The value is what std::from_chars makes of the same characters, correctly
/// rounded. None is taken where there is no digit before the point, or more than 18 digits that
/// count. Little-endian processors only: elsewhere none is taken.
[[nodiscard]] inline NumberInFront decimal_in_front(std::string_view text) noexcept {
    if constexpr (std::endian::native != std::endian::little) {
        return {};
    }
    std::string_view rest = text;
    const bool negative = rest.starts_with('-');
    rest.remove_prefix(negative ? 1 : 0);
    std::uint64_t digits = 0;
    const std::size_t before_point = decimal::take_few_digits(rest, digits);
    const std::size_t counting = before_point * (digits == 0 ? 0 : 1);
    std::size_t places = 0;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        places = decimal::take_eight_digits(rest, digits);
        if (places == 8) {
            places += decimal::take_eight_digits(rest, digits);
        }
        if (places == 16) {
            places += decimal::take_few_digits(rest, digits);
        }
    }
    if (before_point == 0 || before_point > decimal::most_digits ||
        counting + places > decimal::most_digits) {
        return {};
    }
    // A product, for a branch would be foreseen for one number in two.
    constexpr std::array signs = {1.0, -1.0};
    return {.value = decimal::quotient(digits, places) * signs[negative ? 1 : 0],
            .length = text.size() - rest.size()};
}

}  // namespace dpcov
