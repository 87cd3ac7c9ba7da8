// The exact coins: every decision by script, every probability by chi-square.
#include "random/bernoulli.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics.hpp"
#include "support/scripted_source.hpp"

namespace dpcov::test {
namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

TEST(UniformBelow, TakesTheLowBitsAndRejectsWhatIsTooLarge) {
    ScriptedRandomSource random({7, 6, 5, 4, ones << 3 | 2, 99});
    EXPECT_TRUE(uniform_below(random, 5) == 4);
    EXPECT_EQ(random.used(), 4U);
    EXPECT_TRUE(uniform_below(random, 5) == 2);
    EXPECT_EQ(random.used(), 5U);
    EXPECT_TRUE(uniform_below(random, 1) == 0);
}

TEST(UniformBelow, Takes64BitsWhole) {
    ScriptedRandomSource random({ones, ones, ones - 1});
    EXPECT_TRUE(uniform_below(random, UInt128{1} << 64) == ones);
    EXPECT_TRUE(uniform_below(random, ones) == ones - 1);  // ones itself is too large
    EXPECT_EQ(random.used(), 3U);
}

TEST(UniformBelow, TakesTheHighWordFirstAbove64Bits) {
    const UInt128 bound = (UInt128{5} << 64) + 3;
    ScriptedRandomSource random({6, 1, 5, 3, ones << 3 | 5, 2});
    EXPECT_TRUE(uniform_below(random, bound) == (UInt128{5} << 64) + 2);
    EXPECT_EQ(random.used(), 6U);
    ScriptedRandomSource whole({ones, ones - 1});
    EXPECT_TRUE(uniform_below(whole, ~UInt128{0}) == ~UInt128{0} - 1);
}

TEST(Bernoulli, IsTrueForExactlyTheFirstNumeratorValues) {
    for (std::uint64_t denominator = 1; denominator <= 9; ++denominator) {
        for (std::uint64_t numerator = 0; numerator <= denominator; ++numerator) {
            std::uint64_t hits = 0;
            for (std::uint64_t word = 0; word < denominator; ++word) {
                ScriptedRandomSource random({word});
                hits += bernoulli(random, numerator, denominator) ? 1 : 0;
            }
            EXPECT_EQ(hits, numerator);
        }
    }
}

// exp(-gamma): coins with gamma / k until the first failure; true where that is at odd k. Each step
// takes a word for gamma and, if that succeeds, one for 1 / k.
TEST(BernoulliExpMinus, DecidesByTheParityOfTheFirstFailure) {
    const auto decide = [](std::vector<std::uint64_t> words, std::size_t use) {
        ScriptedRandomSource random(std::move(words));
        const bool result = bernoulli_exp_minus(random, 1, 2);
        EXPECT_EQ(random.used(), use);
        return result;
    };
    EXPECT_TRUE(decide({1}, 1));                        // fails at k = 1 on gamma
    EXPECT_FALSE(decide({0, 0, 1}, 3));                 // at k = 2 on gamma
    EXPECT_FALSE(decide({0, 0, 0, 1}, 4));              // at k = 2 on 1 / k
    EXPECT_TRUE(decide({0, 0, 0, 0, 1}, 5));            // at k = 3 on gamma
    EXPECT_TRUE(decide({0, 0, 0, 0, 0, 3, 2}, 7));      // at k = 3 on 1 / k, 3 being rejected
    EXPECT_FALSE(decide({0, 0, 0, 0, 0, 0, 0, 1}, 8));  // at k = 4
}

// 7/3 = 1 + 1 + 1/3: a failure of the first or second exp(-1) ends it.
TEST(BernoulliExpMinus, MultipliesUnitsAndStopsAtTheFirstFailure) {
    ScriptedRandomSource first({0, 0, 0, 1});
    EXPECT_FALSE(bernoulli_exp_minus(first, 7, 3));
    EXPECT_EQ(first.used(), 4U);
    // The units succeed (failure at k = 3) and the third fails at k = 1: true.
    ScriptedRandomSource all({0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2});
    EXPECT_TRUE(bernoulli_exp_minus(all, 7, 3));
    EXPECT_EQ(all.used(), 13U);
}

struct ExpCase {
    UInt128 numerator, denominator;
    double gamma;
};

double p_value(const ExpCase& c, double assumed_gamma) {
    SeededRandomSource random(17);
    constexpr std::size_t draws = 400000;
    const auto counts = count_cells(
        random,
        [&](RandomSource& source) {
            return Int128{bernoulli_exp_minus(source, c.numerator, c.denominator)};
        },
        {0}, draws);
    const double p = std::exp(-assumed_gamma);
    return chi_square_p_value(counts, {1 - p, p});
}

TEST(BernoulliExpMinus, HasTheProbabilityAskedFor) {
    const UInt128 big = UInt128{1} << 127;
    for (const ExpCase& c : {ExpCase{1, 1, 1.0},
                             {1, 3, 1.0 / 3},
                             {7, 2, 3.5},
                             {1, 1000, 1e-3},
                             {ones / 2, ones, 0.5},
                             {big, big + big / 2, 2.0 / 3},
                             {big, big, 1.0}}) {
        EXPECT_GT(p_value(c, c.gamma), false_alarm) << c.gamma;
        // Control: an exponent that is off by a tenth.
        EXPECT_LT(p_value(c, c.gamma + 0.1), false_alarm) << c.gamma;
    }
}

TEST(BernoulliExpMinus, IsCertainAtZeroAndHopelessAtHugeExponents) {
    SeededRandomSource random(18);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(bernoulli_exp_minus(random, 0, 5));
        EXPECT_FALSE(bernoulli_exp_minus(random, UInt128{1} << 126, 1));
    }
}

}  // namespace
}  // namespace dpcov::test
