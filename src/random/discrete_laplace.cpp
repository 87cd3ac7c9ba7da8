#include "random/discrete_laplace.hpp"

#include <cmath>
#include <numeric>

#include "dpcov/error.hpp"
#include "random/bernoulli.hpp"

namespace dpcov {

LaplaceScale laplace_scale(double scale) {
    if (!(scale > 0.0 && scale < 0x1p63)) {
        throw UsageError("the scale of Laplace noise must be between 0 and 2^63");
    }
    // The largest power of two that keeps the numerator below 2^63; scaling by it is exact.
    int bits = 0;
    std::frexp(scale, &bits);
    const int shift = std::min(63, 63 - bits);
    const auto numerator = static_cast<std::uint64_t>(std::ceil(std::ldexp(scale, shift)));
    const std::uint64_t denominator = std::uint64_t{1} << shift;
    const std::uint64_t divisor = std::gcd(numerator, denominator);
    return {numerator / divisor, denominator / divisor};
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

}  // namespace dpcov
