#include "tables/decimal.hpp"

#include <array>
#include <charconv>

namespace dpcov::decimal {
namespace {

/// By the digits' text, which std::from_chars rounds once.
double quotient_by_text(UInt128 digits, int places) noexcept {
    constexpr std::size_t most = 39;  // digits of 128 bits
    std::array<char, most + sizeof "e-200"> text{};
    char* begin = text.data() + most;
    *begin = 'e';
    char* const end = std::to_chars(begin + 1, text.data() + text.size(), -places).ptr;
    do {
        *--begin = static_cast<char>('0' + static_cast<int>(digits % 10));
        digits /= 10;
    } while (digits != 0);
    double value = 0.0;
    std::from_chars(begin, end, value);
    return value;
}

}  // namespace

double long_quotient(std::uint64_t digits, std::size_t places) noexcept {
    const std::uint64_t divisor = powers_of_ten[places];
    // A quotient of 62 or 63 bits. Its lowest bit also says whether there was a remainder: enough
    // for the conversion, which drops 9 or 10 bits, to round the true quotient once.
    const int shift = 62 + std::countl_zero(digits) - std::countl_zero(divisor);
    const auto dividend = static_cast<UInt128>(digits) << shift;
    const auto whole = static_cast<std::uint64_t>(dividend / divisor);
    const bool exact = static_cast<UInt128>(whole) * divisor == dividend;
    const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - shift) << 52);
    return static_cast<double>(static_cast<std::int64_t>(whole | (exact ? 0 : 1))) * scale;
}

double signed_quotient(Int128 digits, int places) noexcept {
    // In unsigned numbers the least of all has an opposite, too.
    const UInt128 size = digits < 0 ? -static_cast<UInt128>(digits) : static_cast<UInt128>(digits);
    constexpr int most = most_digits;
    const bool few = size < powers_of_ten[most] && places >= 0 && places <= most;
    const double value =
        few ? quotient(static_cast<std::uint64_t>(size), static_cast<std::size_t>(places))
            : quotient_by_text(size, places);
    return digits < 0 ? -value : value;
}

}  // namespace dpcov::decimal
