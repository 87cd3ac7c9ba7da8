// The exponents of the paper's worked examples, from the bounds at n = 2^52 and 2^60.
#include "research/worked_examples.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dpcov::research {
namespace {

constexpr std::uint64_t small = std::uint64_t{1} << 52;
constexpr std::uint64_t large = std::uint64_t{1} << 60;

double slope(double at_small, double at_large) {
    return std::log2(at_large / at_small) / 8.0;
}

TEST(WorkedExamples, SkewedRowsHaveTheTextsExponents) {
    const ExampleTable a = skewed_example(small);
    const ExampleTable b = skewed_example(large);
    EXPECT_NEAR(slope(clipped_error(a, 1.0), clipped_error(b, 1.0)), -9.0 / 16.0, 0.01);
    EXPECT_NEAR(slope(clipped_error(a, std::exp2(-13.0)), clipped_error(b, std::exp2(-15.0))),
                -13.0 / 16.0, 0.01);
}

TEST(WorkedExamples, TablesOfAPairAgreeInTrace) {
    for (const auto example : {printed_quantile_example, corrected_quantile_example}) {
        const QuantileExample pair = example(large);
        EXPECT_EQ(pair.first.d, pair.second.d);
        EXPECT_NEAR(pair.second.trace() / pair.first.trace(), 1.0, 0.01);
        for (const ExampleTable& table : {pair.first, pair.second}) {
            double rows = 0.0;
            for (const NormGroup& group : table.groups) rows += group.rows;
            EXPECT_NEAR(rows / static_cast<double>(large), 1.0, 1e-12);
        }
    }
}

// As printed one rank serves both tables: the best of the second is its middle norm, which ranks up
// to n^(38/64) find, and those up to n^(36/64) find 1 in the first.
TEST(WorkedExamples, PrintedPairDoesNotRefuteQuantiles) {
    const QuantileExample pair = printed_quantile_example(large);
    EXPECT_EQ(best_threshold(pair.first, pair.first_thresholds), 1.0);
    EXPECT_EQ(best_threshold(pair.second, pair.second_thresholds), pair.second_thresholds[1]);
    EXPECT_LT(pair.first_rank, pair.second_rank);
    const QuantileExample before = printed_quantile_example(small);
    EXPECT_NEAR(slope(clipped_error(before.second, before.second_thresholds[1]),
                      clipped_error(pair.second, pair.second_thresholds[1])),
                -54.0 / 64.0, 0.01);
    EXPECT_NEAR(slope(clipped_error(before.second, before.second_thresholds[2]),
                      clipped_error(pair.second, pair.second_thresholds[2])),
                -52.0 / 64.0, 0.02);
}

// Corrected none does: the first table wants a rank below n^(32/64), the second one above
// n^(34/64).
TEST(WorkedExamples, CorrectedPairRefutesQuantiles) {
    const QuantileExample before = corrected_quantile_example(small);
    const QuantileExample pair = corrected_quantile_example(large);
    const auto exponents = [&](const ExampleTable& a, const ExampleTable& b,
                               const std::vector<double>& at, const std::vector<double>& then) {
        std::vector<double> all;
        for (std::size_t i = 0; i < at.size(); ++i) {
            all.push_back(slope(clipped_error(a, at[i]), clipped_error(b, then[i])) * 64.0);
        }
        return all;
    };
    const auto first =
        exponents(before.first, pair.first, before.first_thresholds, pair.first_thresholds);
    const auto second =
        exponents(before.second, pair.second, before.second_thresholds, pair.second_thresholds);
    const double near = 0.7;
    EXPECT_NEAR(first[0], -36.0, near);
    EXPECT_NEAR(first[1], -32.0, near);
    EXPECT_NEAR(second[0], -36.0, near);
    EXPECT_NEAR(second[1], -48.0, near);
    EXPECT_NEAR(second[2], -52.0, near);
    EXPECT_NEAR(second[3], -32.0, near);
    EXPECT_LT(pair.first_rank, pair.second_rank);
}

}  // namespace
}  // namespace dpcov::research
