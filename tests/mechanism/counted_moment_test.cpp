// The number of rows as mechanisms get to know it.
#include "mechanism/counted_moment.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dpcov/error.hpp"
#include "privacy/budget_meter.hpp"
#include "random/statistics.hpp"
#include "support/failing_source.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

ReleaseOptions hidden() {
    ReleaseOptions options;
    options.neighbours = Neighbours::add_remove;
    return options;
}

template <class Share>
detail::Counted<Share> counted(const detail::SecretMoment& moment, Share total,
                               RandomSource& random) {
    detail::BudgetMeter<Share> meter(total);
    const auto result = detail::count_rows(moment, hidden(), meter, random);
    // What is left and what the count cost are the whole, exactly.
    EXPECT_EQ(meter.stages().size(), 1U);
    EXPECT_NO_THROW((void)meter.spend("rest", result.rest, ""));
    EXPECT_NEAR(meter.stages()[0].spent.value() + result.rest.value(), total.value(),
                1e-12 * total.value());
    return result;
}

TEST(CountedMoment, KnowsAPublicNumberOfRows) {
    const detail::SecretMoment moment = moment_of(sphere_rows(17, 3, 1.0, 420), 3);
    detail::RhoMeter meter(Rho(0.5));
    FailingRandomSource random(421, 0);  // nothing is drawn
    const auto [open, rest] = detail::count_rows(moment, {}, meter, random);
    EXPECT_EQ(open.rows.value, 17.0);
    EXPECT_EQ(open.rows.at_most, 17.0);
    EXPECT_EQ(open.rows.deviation, 0.0);
    EXPECT_EQ(open.neighbours, Neighbours::replace);
    EXPECT_EQ(rest.value(), 0.5);
    EXPECT_TRUE(meter.stages().empty());
    const detail::SecretMoment empty({.columns = 3, .norm_bound = 1.0});
    EXPECT_THROW((void)detail::count_rows(empty, {}, meter, random), DataError);
}

// The share of the count by hand: 1/2 at d = 1; at d = 10 8/64 of rho and of epsilon.
TEST(CountedMoment, SpendsAShareThatFallsWithTheColumns) {
    SeededRandomSource random(422);
    for (const auto& [d, left] : {std::pair{1U, 0.5}, {10U, 0.875}, {1000U, 63.0 / 64.0}}) {
        const detail::SecretMoment moment({.columns = d, .norm_bound = 1.0});
        EXPECT_EQ(counted(moment, Rho(1.0), random).rest.value(), left);
        EXPECT_EQ(counted(moment, Epsilon(1.0), random).rest.value(), left);
    }
}

// The noisy count has mean n and the deviation that its share buys, which it states: for rho
// 1 / sqrt(2 rho_n), for epsilon sqrt(2) / epsilon_n, here with half of the budget. The bound on n
// is one. False alarm: 1e-6 for each of four. Control: 5 % more deviation.
template <class Share>
void expect_law(Share total, double deviation, double kurtosis) {
    constexpr int draws = 40000;
    constexpr std::size_t n = 2000;
    const detail::SecretMoment moment = moment_of(Rows(n, 0.5), 1);
    SeededRandomSource random(423);
    double sum = 0.0;
    double squares = 0.0;
    for (int i = 0; i < draws; ++i) {
        detail::BudgetMeter<Share> meter(total);
        const auto rows = detail::count_rows(moment, hidden(), meter, random).moment.rows;
        EXPECT_GE(rows.at_most, static_cast<double>(n));
        EXPECT_NEAR(rows.deviation, deviation, 1e-9);
        sum += rows.value - n;
        squares += std::pow(rows.value - n, 2);
    }
    EXPECT_GT(two_sided_p_value(sum / (deviation * std::sqrt(draws))), false_alarm);
    // An integer's noise has 1/12 more variance than a real's, at most.
    const auto p_value = [&](double variance) {
        return two_sided_p_value((squares / draws / variance - 1.0) /
                                 std::sqrt((kurtosis - 1.0) / draws));
    };
    EXPECT_GT(p_value(deviation * deviation), false_alarm);
    EXPECT_LT(p_value(1.05 * 1.05 * deviation * deviation), false_alarm);
}

TEST(CountedMoment, HasTheNoiseThatItsShareBuys) {
    expect_law(Rho(0.01), 10.0, 3.0);
    expect_law(Epsilon(0.2), 10.0 * std::sqrt(2.0), 6.0);
}

TEST(CountedMoment, IsARowCountOfWhatAMomentHolds) {
    EXPECT_EQ(detail::row_count(0x1p60, 1.0).value, 0x1p48);
    EXPECT_EQ(detail::row_count(0x1p48 - 1.2, 1.0).value, 0x1p48 - 1.0);
    EXPECT_EQ(detail::row_count(-0x1p60, 1.0).value, 1.0);
}

// Where noise swamps the rows the count is still one that sums can be divided by, and the bound
// still holds, with no rows, too.
TEST(CountedMoment, IsAtLeastOne) {
    SeededRandomSource random(424);
    const detail::SecretMoment empty({.columns = 3, .norm_bound = 1.0});
    bool at_edge = false;
    for (int i = 0; i < 200; ++i) {
        for (const detail::SecretMoment& moment :
             {empty, moment_of(sphere_rows(5, 3, 1.0, 425), 3)}) {
            for (const detail::RowCount& rows :
                 {counted(moment, Rho(1e-4), random).moment.rows,
                  counted(moment, Epsilon(1e-2), random).moment.rows}) {
                EXPECT_GE(rows.value, 1.0);
                EXPECT_EQ(rows.value, std::floor(rows.value));
                EXPECT_GE(rows.at_most, std::fmax(1.0, static_cast<double>(moment.rows())));
                at_edge = at_edge || rows.value == 1.0;
            }
        }
    }
    EXPECT_TRUE(at_edge);
}

}  // namespace
}  // namespace dpcov::test
