#include "random/bernoulli.hpp"

#include <bit>

namespace dpcov {

namespace {

/// Ones up to the highest bit of `value`: the smallest 2^b - 1 that is at least `value`.
std::uint64_t mask_covering(std::uint64_t value) {
    return value == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(value);
}

/// exp(-numerator / denominator) for numerator <= denominator: with A_1, A_2, ... independent and
/// P(A_k) = gamma / k, the first failure is at an odd k with probability exp(-gamma).
bool bernoulli_exp_minus_at_most_one(RandomSource& random, UInt128 numerator, UInt128 denominator) {
    UInt128 k = 1;
    // gamma / k as two coins, so that k * denominator need not fit in 128 bits.
    while (bernoulli(random, numerator, denominator) && bernoulli(random, 1, k)) {
        ++k;
    }
    return k % 2 == 1;
}

}  // namespace

UInt128 uniform_below(RandomSource& random, UInt128 bound) {
    const UInt128 largest = bound - 1;
    const auto high = static_cast<std::uint64_t>(largest >> 64);
    const auto low = static_cast<std::uint64_t>(largest);
    for (;;) {
        UInt128 draw = 0;
        if (high == 0) {
            draw = random.next_word() & mask_covering(low);
        } else {
            draw = random.next_word() & mask_covering(high);
            draw = draw << 64 | random.next_word();
        }
        if (draw <= largest) {
            return draw;
        }
    }
}

bool bernoulli(RandomSource& random, UInt128 numerator, UInt128 denominator) {
    return uniform_below(random, denominator) < numerator;
}

bool bernoulli_exp_minus(RandomSource& random, UInt128 numerator, UInt128 denominator) {
    // exp(-n - f) = exp(-1)^n exp(-f). The first failure ends it, so a huge n costs no time.
    for (; numerator > denominator; numerator -= denominator) {
        if (!bernoulli_exp_minus_at_most_one(random, 1, 1)) {
            return false;
        }
    }
    return bernoulli_exp_minus_at_most_one(random, numerator, denominator);
}

}  // namespace dpcov
