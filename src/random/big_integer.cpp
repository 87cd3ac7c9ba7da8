#include "random/big_integer.hpp"

namespace dpcov::detail {

mpz_class to_big(Int128 value) {
    const mpz_class high(static_cast<long>(value >> 64));
    return (high << 64) + to_big(static_cast<std::uint64_t>(value));
}

Int128 clamp_to_int128(const mpz_class& value) {
    constexpr auto largest = static_cast<Int128>(~UInt128{0} >> 1);
    const mpz_class high = value >> 64;
    if (!high.fits_slong_p()) {
        return sgn(value) < 0 ? -largest - 1 : largest;
    }
    const mpz_class low = value - (high << 64);
    return static_cast<Int128>(high.get_si()) * (Int128{1} << 64) + low.get_ui();
}

}  // namespace dpcov::detail
