#include "tables/decimal.hpp"

#include "arithmetic/wide_integer.hpp"

namespace dpcov::decimal {

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

}  // namespace dpcov::decimal
