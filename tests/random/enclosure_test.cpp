// The enclosures that the exact decisions rest on, at a precision so low that a wrong direction of
// rounding shows.
#include <gtest/gtest.h>

#include "random/bell_acceptance.hpp"
#include "random/big_integer.hpp"
#include "random/laplace_decay.hpp"

namespace dpcov::test {
namespace {

using detail::HalfNormalTable;
using detail::LazyNumber;
using detail::Real;

constexpr mpfr_prec_t coarse = 8;
constexpr mpfr_prec_t fine = 1000;  // 1 - exp(-L) must not lose its digits
// So many that a wrong direction in any one of the steps is not always hidden by the other steps.
constexpr int cases = 4000;

/// result = exp(-steps / scale).
void exp_minus(Real& result, std::uint64_t steps, LaplaceScale scale) {
    mpfr_set_ui(result, steps, MPFR_RNDN);
    mpfr_mul_ui(result, result, scale.denominator, MPFR_RNDN);
    mpfr_div_ui(result, result, static_cast<std::uint64_t>(scale.numerator), MPFR_RNDN);
    mpfr_neg(result, result, MPFR_RNDN);
    mpfr_exp(result, result, MPFR_RNDN);
}

/// result = -log P(X < threshold), from P(X >= k) = exp(-k / scale) / (1 + exp(-1 / scale)), k
/// >= 1.
void exact_decay(Real& result, LaplaceScale scale, long threshold) {
    const long distance = threshold > 0 ? threshold : 1 - threshold;
    Real normaliser(fine);
    exp_minus(result, static_cast<std::uint64_t>(distance), scale);
    exp_minus(normaliser, 1, scale);
    mpfr_add_ui(normaliser, normaliser, 1, MPFR_RNDN);
    mpfr_div(result, result, normaliser, MPFR_RNDN);
    if (threshold > 0) mpfr_ui_sub(result, 1, result, MPFR_RNDN);
    mpfr_log(result, result, MPFR_RNDN);
    mpfr_neg(result, result, MPFR_RNDN);
}

TEST(LaplaceDecay, EnclosesTheLogarithmOfTheFailureProbability) {
    SeededRandomSource random(101);
    Real exact(fine);
    Real low(coarse);
    Real high(coarse);
    for (int i = 0; i < cases; ++i) {
        const LaplaceScale scale{random.next_word() % 200 + 1, random.next_word() % 20 + 1};
        const long threshold = static_cast<long>(random.next_word() % 25) - 8;
        exact_decay(exact, scale, threshold);
        detail::laplace_decay(low, scale, threshold, MPFR_RNDD);
        detail::laplace_decay(high, scale, threshold, MPFR_RNDU);
        ASSERT_TRUE(mpfr_lessequal_p(low, exact)) << i;
        ASSERT_TRUE(mpfr_greaterequal_p(high, exact)) << i;
        // Not by being loose: exp multiplies an error of 2^-7 by its argument.
        Real width(coarse);
        mpfr_sub(width, high, low, MPFR_RNDU);
        mpfr_div(width, width, exact, MPFR_RNDU);
        ASSERT_LT(mpfr_get_d(width, MPFR_RNDU), 1.0) << i;
    }
}

/// result = A exp(-x^2 / 2) 2^halvings / height at x = digits / 2^bits.
void exact_acceptance(Real& result, std::uint64_t digits, int bits, std::size_t cell,
                      unsigned halvings) {
    const HalfNormalTable& table = HalfNormalTable::instance();
    mpfr_set_ui_2exp(result, digits, -bits, MPFR_RNDN);
    mpfr_sqr(result, result, MPFR_RNDN);
    mpfr_div_si(result, result, -2, MPFR_RNDN);
    mpfr_exp(result, result, MPFR_RNDN);
    mpfr_mul_ui(result, result, table.amplitude(), MPFR_RNDN);
    mpfr_div_ui(result, result, table.height(cell), MPFR_RNDN);
    mpfr_mul_ui(result, result, 1UL << halvings, MPFR_RNDN);
}

TEST(AcceptanceBound, EnclosesTheBellOverTheWholeIntervalOfX) {
    const HalfNormalTable& table = HalfNormalTable::instance();
    SeededRandomSource random(103);
    Real exact(fine);
    Real low(coarse);
    Real high(coarse);
    for (int i = 0; i < cases; ++i) {
        const std::size_t cell = i % 10 == 0 ? HalfNormalTable::tail : random.next_word() % 700;
        const auto halvings = static_cast<unsigned>(random.next_word() % 3);
        // The interval of x within its cell: a half of it, or 2^-40 of it.
        const int place_bits = i % 2 == 0 ? 1 : 40;
        const std::uint64_t place = random.next_word() >> (64 - place_bits);
        const std::uint64_t digits = std::uint64_t{cell} << place_bits | place;
        const int bits = HalfNormalTable::cells_per_unit_log2 + place_bits;
        const LazyNumber x{detail::to_big(digits), bits};
        detail::acceptance_bound(low, x, table, cell, halvings, MPFR_RNDD);
        detail::acceptance_bound(high, x, table, cell, halvings, MPFR_RNDU);
        for (const std::uint64_t end : {digits, digits + 1}) {
            exact_acceptance(exact, end, bits, cell, halvings);
            ASSERT_TRUE(mpfr_lessequal_p(low, exact)) << i;
            ASSERT_TRUE(mpfr_greaterequal_p(high, exact)) << i;
        }
    }
}

}  // namespace
}  // namespace dpcov::test
