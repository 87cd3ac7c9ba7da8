// The decision on a Bingham proposal, down to chances that no double below 1 has digits for.
#include "mechanism/bingham_acceptance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "random/big_integer.hpp"

namespace dpcov::detail {
namespace {

// Against MPFR at 200 bits.
TEST(RoughLog, IsWithinItsBound) {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> exponents(-1000.0, 1000.0);
    Real exact(200);
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        const double x =
            i % 2 == 0 ? std::exp2(exponents(generator)) : std::exp2(1e-3 * exponents(generator));
        mpfr_set_d(exact, x, MPFR_RNDN);
        mpfr_log(exact, exact, MPFR_RNDN);
        mpfr_sub_d(exact, exact, rough_log(x), MPFR_RNDN);
        worst = std::fmax(worst,
                          std::fabs(mpfr_get_d(exact, MPFR_RNDN)) / (1.0 + std::fabs(std::log(x))));
    }
    EXPECT_LT(worst, 0x1p-45);
    EXPECT_GT(worst, 0.0);
}

RealInterval point(double value) {
    return RealInterval(256, value);
}

// V just below and just above p = 2^-200 or so, 512 digits.
TEST(Verdict, AcceptsWithChancesFarBelowAnyDouble) {
    for (const double q : {2.0, 50.0}) {
        const double s = q + 300.0;
        const double log_p = 0.5 * (q - s) + 0.5 * q * std::log(s / q);
        ASSERT_LT(log_p, -54.0 * std::log(2.0));
        for (const double off : {-1e-9, 1e-9}) {
            Real v(600);
            mpfr_set_d(v, log_p * (1.0 - off), MPFR_RNDN);
            mpfr_exp(v, v, MPFR_RNDN);
            mpfr_mul_2ui(v, v, 512, MPFR_RNDN);
            LazyNumber digits;
            mpfr_get_z(digits.digits.get_mpz_t(), v, MPFR_RNDD);
            digits.fraction_bits = 512;
            EXPECT_EQ(verdict(q, point(s), point(s), digits),
                      off < 0.0 ? Verdict::accepted : Verdict::rejected);
            // The first 64 digits are zeros, and say nothing yet.
            EXPECT_EQ(verdict(q, point(s), point(s), LazyNumber{0, 64}), Verdict::open);
            EXPECT_EQ(quick_verdict(q, s, 1e-12, 1e-12, 0), Verdict::open);
        }
    }
}

// Wherever doubles say something, high precision says the same, at either end of what s and t may
// be. Control: with an error ten thousand times larger than admitted it does not.
TEST(Verdict, QuickOneIsNeverWrong) {
    std::mt19937_64 generator(2);
    std::uniform_real_distribution<double> unit;
    std::size_t said = 0;
    std::size_t open = 0;
    std::size_t contradicted = 0;
    for (int i = 0; i < 5000; ++i) {
        const double q = std::floor(2.0 + 100.0 * unit(generator));
        const double s = q * std::exp(2.0 * unit(generator) - 1.0);
        const double error = std::exp2(-8.0 - 30.0 * unit(generator));
        const double slack = std::exp2(-4.0 - 30.0 * unit(generator));
        // V near the bound, where the decision is close, on a scale that suits the errors.
        const double log_p = 0.5 * (q - s) + 0.5 * q * std::log(s / q);
        const double apart = (error + slack) * q * 20.0 * (unit(generator) - 0.5);
        const double v = std::exp(log_p + apart) * 0x1p64;
        if (!(v > 0x1p31 && v < 0x1p64)) {
            continue;
        }
        const auto word = static_cast<std::uint64_t>(v);
        const Verdict quick = quick_verdict(q, s, error, slack, word);
        quick == Verdict::open ? ++open : ++said;
        if (quick == Verdict::open) {
            continue;
        }
        const LazyNumber digits{to_big(word), 64};
        for (const double end : {1.0 - error, 1.0 + error}) {
            for (const double above : {1.0, 1.0 + slack}) {
                const Verdict exact = verdict(q, point(s * end), point(s * end * above), digits);
                EXPECT_TRUE(exact == quick || exact == Verdict::open);
            }
            const Verdict beyond = verdict(q, point(s * (1.0 + (end - 1.0) * 1e4)),
                                           point(s * (1.0 + (end - 1.0) * 1e4)), digits);
            contradicted += s * (1.0 + (end - 1.0) * 1e4) > 0.0 && beyond != quick ? 1 : 0;
        }
    }
    EXPECT_GT(said, 300U);
    EXPECT_GT(open, 300U);
    EXPECT_GT(contradicted, 100U);
}

}  // namespace
}  // namespace dpcov::detail
