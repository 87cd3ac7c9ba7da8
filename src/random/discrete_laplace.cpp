#include "random/discrete_laplace.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "random/bernoulli.hpp"
#include "random/noise_range.hpp"

namespace dpcov {

LaplaceScale laplace_scale(double scale) {
    detail::require_noise_scale(scale, std::numeric_limits<double>::denorm_min());
    // The largest power of two that keeps the numerator below 2^63; scaling by it is exact.
    int bits = 0;
    std::frexp(scale, &bits);
    const int shift = std::clamp(63 - bits, 0, 63);
    const auto numerator = static_cast<UInt128>(std::ceil(std::ldexp(scale, shift)));
    const int common = shift == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(numerator));
    const int reduced = std::min(shift, common);
    return {numerator >> reduced, std::uint64_t{1} << (shift - reduced)};
}

Int128 one_sided_geometric(RandomSource& random, LaplaceScale scale) {
    // X = U + V * numerator is geometric with ratio exp(-1 / numerator); dividing by the
    // denominator and rounding down makes the ratio exp(-denominator / numerator).
    UInt128 remainder = 0;
    do {
        remainder = uniform_below(random, scale.numerator);
    } while (!bernoulli_exp_minus(random, remainder, scale.numerator));
    UInt128 whole = 0;
    while (bernoulli_exp_minus(random, 1, 1)) {
        ++whole;
    }
    return static_cast<Int128>((remainder + whole * scale.numerator) / scale.denominator);
}

Int128 discrete_laplace(RandomSource& random, LaplaceScale scale) {
    for (;;) {
        const bool negative = (random.next_word() & 1) != 0;
        const Int128 magnitude = one_sided_geometric(random, scale);
        // Zero has two signs and must count once.
        if (!(negative && magnitude == 0)) {
            return negative ? -magnitude : magnitude;
        }
    }
}

void add_discrete_laplace(RandomSource& random, std::span<Int128> values, LaplaceScale scale) {
    for (Int128& value : values) {
        value += discrete_laplace(random, scale);
    }
}

}  // namespace dpcov
