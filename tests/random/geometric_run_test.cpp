// The run length in one step against trial after trial.
#include "random/geometric_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "statistics.hpp"
#include "support/scripted_source.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

constexpr Int128 none = -1;

/// P(discrete Laplace >= threshold).
double success(double scale, double threshold) {
    const double norm = 1 + std::exp(-1 / scale);
    return threshold > 0 ? std::exp(-threshold / scale) / norm
                         : 1 - std::exp(-(1 - threshold) / scale) / norm;
}

/// The index, or -1 for none.
Int128 run(RandomSource& random, std::uint64_t trials, LaplaceScale scale, Int128 threshold) {
    const auto index = geometric_run(random, trials, scale, threshold);
    return index ? static_cast<Int128>(*index) : none;
}

Int128 trial_by_trial(RandomSource& random, std::uint64_t trials, LaplaceScale scale,
                      Int128 threshold) {
    for (std::uint64_t i = 0; i < trials; ++i) {
        if (discrete_laplace(random, scale) >= threshold) return static_cast<Int128>(i);
    }
    return none;
}

/// How often "none", 0, 1, ..., trials - 1 came, and nothing in the last cell.
std::vector<std::uint64_t> counts_of(const Draw& draw, std::size_t trials, std::size_t draws) {
    std::vector<Int128> edges{none};
    for (std::size_t i = 0; i < trials; ++i) edges.push_back(static_cast<Int128>(i));
    SeededRandomSource random(73);
    return count_cells(random, draw, edges, draws);
}

/// What those cells should have.
std::vector<double> law_of(std::size_t trials, double p) {
    std::vector<double> cells{std::pow(1 - p, static_cast<double>(trials))};
    for (std::size_t i = 0; i < trials; ++i) {
        cells.push_back(std::pow(1 - p, static_cast<double>(i)) * p);
    }
    cells.push_back(0.0);
    return cells;
}

// False alarm: 1e-6 for each of the six cases, at either size.
TEST(GeometricRun, HasTheLawOfTrialAfterTrial) {
    struct Case {
        LaplaceScale scale;
        int threshold = 0;
        std::size_t trials = 0;
        std::size_t draws = test_size<std::size_t>(3000, 15000);
    };
    for (const Case& c : {Case{{3, 1}, 5, 30},
                          {{3, 1}, 0, 5},
                          {{3, 1}, -4, 3},

                          {{1, 2}, 1, 40},
                          {{50, 7}, 30, 60, test_size<std::size_t>(10000, 15000)},
                          {{1000, 1}, 2500, 100}}) {
        const double scale =
            static_cast<double>(c.scale.numerator) / static_cast<double>(c.scale.denominator);
        const double p = success(scale, c.threshold);
        const Draw at_once = [&](RandomSource& random) {
            return run(random, c.trials, c.scale, c.threshold);
        };
        const Draw slowly = [&](RandomSource& random) {
            return trial_by_trial(random, c.trials, c.scale, c.threshold);
        };
        const std::vector<double> law = law_of(c.trials, p);
        const auto p_value = [&](const std::vector<std::uint64_t>& counts) {
            return chi_square_p_value(counts, law);
        };
        const std::vector<std::uint64_t> counts = counts_of(at_once, c.trials, c.draws);
        EXPECT_GT(p_value(counts), false_alarm) << c.threshold;
        EXPECT_GT(p_value(counts_of(slowly, c.trials, test_size<std::size_t>(600, 15000))),
                  false_alarm)
            << c.threshold;
        // Controls: the first that is above the threshold (by two by day, at scale 1000 by 400);
        // an index that starts at one.
        const Draw above = [&](RandomSource& random) {
            return run(random, c.trials, c.scale,
                       c.threshold + (scale < 500 ? test_size(2, 1) : 400));
        };
        EXPECT_LT(p_value(counts_of(above, c.trials, c.draws)), false_alarm) << c.threshold;
        // The last index becomes none.
        std::vector<std::uint64_t> shifted = counts;
        std::rotate(shifted.begin() + 1, shifted.end() - 2, shifted.end() - 1);
        shifted[0] += std::exchange(shifted[1], 0);
        EXPECT_LT(p_value(shifted), false_alarm) << c.threshold;
    }
}

// p = 2^-40 or so and 2^63 trials: index / (1 / p) is exponential.
TEST(GeometricRun, JumpsOverTrillionsOfTrials) {
    const LaplaceScale scale{1ULL << 40, 1};
    const double threshold = 27.0 * 0x1p40;
    const double p = success(0x1p40, threshold);
    SeededRandomSource random(79);
    std::vector<std::uint64_t> counts(20);
    for (int i = 0; i < 20000; ++i) {
        const auto index = geometric_run(random, 1ULL << 63, scale, static_cast<Int128>(threshold));
        ASSERT_TRUE(index.has_value());
        const double u = -std::expm1(-static_cast<double>(*index) * p);
        ++counts[static_cast<std::size_t>(std::min(19.0, u * 20))];
    }
    EXPECT_GT(chi_square_p_value(counts, std::vector<double>(20, 0.05)), false_alarm);
}

TEST(GeometricRun, IsCertainOrHopelessAtTheEnds) {
    SeededRandomSource random(83);
    for (int i = 0; i < 100; ++i) {
        const Int128 far = Int128{1} << 120;
        EXPECT_EQ(geometric_run(random, 1ULL << 63, {1, 1000}, far), std::nullopt);
        EXPECT_EQ(geometric_run(random, 1, {1, 1000}, -far), 0U);
        EXPECT_EQ(geometric_run(random, ~0ULL, {~0ULL, 1}, -far), 0U);
    }
    ScriptedRandomSource empty({});
    EXPECT_EQ(geometric_run(empty, 0, {1, 1}, 0), std::nullopt);
}

// Scale 1, threshold 1: q = P(X < 1) = 1 - exp(-1) / (1 + exp(-1)) = 1 / (1 + exp(-1)); the index
// is k for U in (q^(k+1), q^k]. Words on either side of q^3, and the one that contains it.
TEST(GeometricRun, TurnsExactlyAtThePowersOfTheFailureProbability) {
    const long double q = 1 / (1 + std::exp(-1.0L));
    const auto edge = static_cast<std::uint64_t>(q * q * q * 0x1p64L);  // good to 2^-60 or so
    constexpr std::uint64_t doubt = 256;
    ScriptedRandomSource above({edge + doubt});
    EXPECT_EQ(geometric_run(above, 100, {1, 1}, 1), 2U);
    ScriptedRandomSource below({edge - doubt});
    EXPECT_EQ(geometric_run(below, 100, {1, 1}, 1), 3U);

    // One word among those in doubt is open and needs a second.
    std::size_t open = 0;
    for (std::uint64_t word = edge - doubt; word <= edge + doubt; ++word) {
        ScriptedRandomSource low({word, 0, 0});
        ScriptedRandomSource high({word, ~0ULL, 0});
        const auto at_low = geometric_run(low, 100, {1, 1}, 1);
        const auto at_high = geometric_run(high, 100, {1, 1}, 1);
        if (low.used() > 1) {
            ++open;
            EXPECT_EQ(at_low, 3U);
            EXPECT_EQ(at_high, 2U);
            EXPECT_EQ(high.used(), 2U);
        } else {
            EXPECT_EQ(at_low, at_high);
        }
    }
    EXPECT_EQ(open, 1U);
}

// U's first word all zeros: the index is at least 64 log 2 / log(1 / q) = 141, but which is open.
TEST(GeometricRun, AsksForMoreDigitsOfATinyUniform) {
    ScriptedRandomSource open({0, 0x8000000000000000});
    EXPECT_EQ(geometric_run(open, 1000, {1, 1}, 1),
              static_cast<std::uint64_t>(65 * std::log(2.0) / std::log(1 + std::exp(-1.0))));
    EXPECT_EQ(open.used(), 2U);
    ScriptedRandomSource enough({0});
    EXPECT_EQ(geometric_run(enough, 100, {1, 1}, 1), std::nullopt);
}

// One trial has the index 0 or none: whoever takes an index beyond the last trial for one of the
// next run asks about another statistic.
TEST(GeometricRun, NamesNoTrialBeyondTheLast) {
    SeededRandomSource random(84);
    std::size_t none_came = 0;
    for (int i = 0; i < 2000; ++i) {
        for (const std::uint64_t trials : {1U, 2U, 3U}) {
            const auto index = geometric_run(random, trials, {1, 1}, 0);
            EXPECT_LT(index.value_or(0), trials);
            none_came += index ? 0 : 1;
        }
    }
    EXPECT_GT(none_came, 100U);  // 538 are expected of one trial alone
}

}  // namespace
}  // namespace dpcov::test
