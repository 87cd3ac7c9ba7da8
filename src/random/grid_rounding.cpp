#include "random/grid_rounding.hpp"

#include "random/big_integer.hpp"

namespace dpcov::detail {

Int128 round_exactly(RandomSource& random, Int128 value, const GaussianNoise& noise, bool negative,
                     LazyNumber magnitude) {
    const mpz_class big_value = to_big(value);
    const mpz_class mantissa = to_big(noise.mantissa);
    for (;; magnitude.extend(random)) {
        const int unit_log2 = magnitude.fraction_bits - noise.exponent;
        const int step_log2 = unit_log2 + noise.grid_log2;
        if (unit_log2 < 0 || step_log2 < 1) {
            continue;  // the digits known do not reach down to half a step
        }
        mpz_class low = big_value * power_of_two(unit_log2) + power_of_two(step_log2 - 1);
        if (negative) {
            low -= mantissa * (magnitude.digits + 1);
        } else {
            low += mantissa * magnitude.digits;
        }
        const mpz_class high = low + mantissa;
        const auto step_bits = static_cast<mp_bitcnt_t>(step_log2);
        const mpz_class steps = low >> step_bits;
        if ((high >> step_bits) == steps) {
            return clamp_to_int128(steps * power_of_two(noise.grid_log2));
        }
    }
}

}  // namespace dpcov::detail
