// Discrete Laplace noise from scale 1/1000 to 2^100.
#include "random/discrete_laplace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dpcov/error.hpp"
#include "statistics.hpp"
#include "support/scripted_source.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

double as_double(LaplaceScale scale) {
    return static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
}

/// The probabilities of the cells between `edges`.
std::vector<double> laplace_cells(double scale, const std::vector<Int128>& edges) {
    // P(X <= -k) = exp(-k / scale) / (1 + exp(-1 / scale)) for k >= 0.
    const auto cdf = [&](double x) {
        const double norm = 1 + std::exp(-1 / scale);
        return x < 0 ? std::exp(x / scale) / norm : 1 - std::exp(-(x + 1) / scale) / norm;
    };
    std::vector<double> cells;
    double below = 0;
    for (const Int128 edge : edges) {
        const double up_to = cdf(static_cast<double>(edge));
        cells.push_back(up_to - below);
        below = up_to;
    }
    cells.push_back(1 - below);
    return cells;
}

std::vector<Int128> edges_for(double scale) {
    std::vector<Int128> edges;
    for (int k = -48; k <= 48; ++k) {
        const auto edge = static_cast<Int128>(std::floor(k * std::max(1.0, scale / 6)));
        edges.push_back(edge);
    }
    return edges;
}

double p_value(LaplaceScale scale, double assumed_scale, const Draw& draw) {
    SeededRandomSource random(23);
    const auto edges = edges_for(as_double(scale));
    return chi_square_p_value(
        count_cells(random, draw, edges, test_size<std::size_t>(100000, 400000)),
        laplace_cells(assumed_scale, edges));
}

TEST(DiscreteLaplace, HasItsLawAtEveryScale) {
    // A quarter of the draws shows a fault that is twice as great.
    const double off = test_size(1.04, 1.02);
    for (const LaplaceScale scale : {LaplaceScale{1, 3},
                                     {1, 1},
                                     {7, 5},
                                     {40, 1},
                                     {1000003, 1000},
                                     {1ULL << 60, 1},
                                     {(1ULL << 63) + 12345, 1ULL << 20},
                                     {UInt128{3} << 70, 1},
                                     {(UInt128{1} << 99) + 1, 1}}) {
        const Draw draw = [&](RandomSource& random) { return discrete_laplace(random, scale); };
        EXPECT_GT(p_value(scale, as_double(scale), draw), false_alarm) << as_double(scale);
        // Control: a scale off by so much.
        EXPECT_LT(p_value(scale, as_double(scale) * off, draw), false_alarm) << as_double(scale);
    }
}

// Control: counting zero once for each sign.
TEST(DiscreteLaplace, ControlZeroCountedTwiceIsCaught) {
    const LaplaceScale scale{7, 5};
    const Draw broken = [&](RandomSource& random) {
        const bool negative = (random.next_word() & 1) != 0;
        const Int128 magnitude = one_sided_geometric(random, scale);
        return negative ? -magnitude : magnitude;
    };
    EXPECT_LT(p_value(scale, as_double(scale), broken), false_alarm);
}

// P(X != 0) = 2 exp(-1000) / (1 + exp(-1000)).
TEST(DiscreteLaplace, IsZeroAtATinyScale) {
    SeededRandomSource random(29);
    for (int i = 0; i < 10000; ++i) {
        EXPECT_TRUE(discrete_laplace(random, {1, 1000}) == 0);
    }
}

// At scale 2^60 the low bits are uniform to within 2^-50.
TEST(DiscreteLaplace, UsesEveryLowBitAtAHugeScale) {
    SeededRandomSource random(31);
    std::vector<std::uint64_t> counts(256);
    for (int i = 0; i < 100000; ++i) {
        ++counts[static_cast<std::size_t>(discrete_laplace(random, {1ULL << 60, 1}) & 255)];
    }
    EXPECT_GT(chi_square_p_value(counts, std::vector<double>(256, 1.0 / 256)), false_alarm);
}

// Nor is one lost at 2^100, drawn by two words.
TEST(DiscreteLaplace, UsesEveryBitBeyondAWord) {
    for (const int shift : {0, 56, 60, 64, 80}) {
        SeededRandomSource random(32);
        std::vector<std::uint64_t> counts(256);
        for (int i = 0; i < 50000; ++i) {
            const Int128 draw = discrete_laplace(random, {UInt128{1} << 100, 1});
            ++counts[static_cast<std::size_t>((draw >> shift) & 255)];
        }
        EXPECT_GT(chi_square_p_value(counts, std::vector<double>(256, 1.0 / 256)), false_alarm);
    }
}

// Fresh noise on every entry: from the same words, the draws one after the other.
TEST(AddDiscreteLaplace, AddsADrawToEveryEntry) {
    const LaplaceScale scale = laplace_scale(0x1.8p70);
    std::vector<Int128> values(50);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = Int128{1} << i;
    SeededRandomSource random(33);
    add_discrete_laplace(random, values, scale);
    SeededRandomSource again(33);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_TRUE(values[i] == (Int128{1} << i) + discrete_laplace(again, scale));
    }
    EXPECT_EQ(random.next_word(), again.next_word());
}

TEST(OneSidedGeometric, HasItsLaw) {
    for (const LaplaceScale scale : {LaplaceScale{2, 3}, {3, 2}, {50, 1}}) {
        const double ratio = std::exp(-1 / as_double(scale));
        std::vector<Int128> edges;
        std::vector<double> cells;
        for (int k = 0; k < 40; ++k) {
            edges.push_back(k);
            cells.push_back(std::pow(ratio, k) * (1 - ratio));
        }
        cells.push_back(std::pow(ratio, 40));
        const auto p = [&](int shift) {
            SeededRandomSource random(37);
            const auto counts = count_cells(
                random,
                [&](RandomSource& source) { return one_sided_geometric(source, scale) + shift; },
                edges, 200000);
            return chi_square_p_value(counts, cells);
        };
        EXPECT_GT(p(0), false_alarm);
        EXPECT_LT(p(1), false_alarm);  // control: starts at 1
    }
}

// scale 3/2: U = 2 (word 2, kept: exp(-2/3) comes out true), V = 1, X = (2 + 1 * 3) / 2 = 2.
TEST(OneSidedGeometric, PutsRemainderAndWholesTogether) {
    ScriptedRandomSource random({
        2, 2,              // U = 2; the coin of exp(-2/3) fails at k = 1: keep
        0, 0, 0, 0, 0, 1,  // V: exp(-1) comes true once (failure at k = 3 on 1/3) ...
        0, 0, 0, 1,        // ... and then false (failure at k = 2 on 1/2)
    });
    EXPECT_TRUE(one_sided_geometric(random, {3, 2}) == 2);
    EXPECT_EQ(random.used(), 12U);
}

// A remainder that is not kept is drawn again.
TEST(OneSidedGeometric, DrawsTheRemainderAgainWhenItIsNotKept) {
    ScriptedRandomSource random({
        1, 0, 0, 2,  // U = 1; exp(-1/3) fails at k = 2: not kept
        0, 0,        // U = 0; exp(0): coin 0/3 fails at k = 1: keep
        0, 0, 0, 1,  // V = 0
    });
    EXPECT_TRUE(one_sided_geometric(random, {3, 1}) == 0);
    EXPECT_EQ(random.used(), 10U);
}

TEST(LaplaceScale, IsExactOrRoundedUp) {
    const auto equals = [](LaplaceScale scale, UInt128 numerator, std::uint64_t denominator) {
        return scale.numerator == numerator && scale.denominator == denominator;
    };
    EXPECT_TRUE(equals(laplace_scale(1.0), 1, 1));
    EXPECT_TRUE(equals(laplace_scale(0.75), 3, 4));
    EXPECT_TRUE(equals(laplace_scale(0x1p62), 1ULL << 62, 1));
    EXPECT_TRUE(equals(laplace_scale(0x1.0000000000001p0), (1ULL << 52) + 1, 1ULL << 52));
    EXPECT_TRUE(equals(laplace_scale(0x1p-63), 1, 1ULL << 63));
    EXPECT_TRUE(equals(laplace_scale(0x1.8p-63), 1, 1ULL << 62));
    EXPECT_TRUE(equals(laplace_scale(1e-300), 1, 1ULL << 63));
    EXPECT_TRUE(equals(laplace_scale(0x1p63), UInt128{1} << 63, 1));
    EXPECT_TRUE(equals(laplace_scale(0x1.8p64), UInt128{3} << 63, 1));
    EXPECT_TRUE(equals(laplace_scale(0x1.0000000000001p100 / 2),
                       (UInt128{1} << 99) + (UInt128{1} << 47), 1));
    EXPECT_TRUE(equals(laplace_scale(0x1p100), UInt128{1} << 100, 1));
    EXPECT_THROW((void)laplace_scale(0), UsageError);
    EXPECT_THROW((void)laplace_scale(std::nextafter(0x1p100, 0x1p101)), UsageError);
    EXPECT_THROW((void)laplace_scale(std::nan("")), UsageError);
}

}  // namespace
}  // namespace dpcov::test
