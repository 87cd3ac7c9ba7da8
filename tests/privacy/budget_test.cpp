#include "dpcov/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "privacy/budget_meter.hpp"
#include "support/expected_error.hpp"
#include "support/special_numbers.hpp"
#include "support/usage_error.hpp"

namespace dpcov {
namespace {

using test::infinity;
using test::nan;
using test::usage_error_of;

using testing::HasSubstr;

// Any finite double > 0 that leaves room for its shares above zero.
double random_budget(std::mt19937_64& engine) {
    std::uniform_real_distribution<double> mantissa(1.0, 2.0);
    std::uniform_int_distribution<int> exponent(-1010, 1022);
    return std::ldexp(mantissa(engine), exponent(engine));
}

TEST(Budgets, RefuseWhatIsNoBudgetAndSayWhatIs) {
    for (const double bad : {0.0, -0.0, -1.0, infinity, -infinity, nan}) {
        EXPECT_THAT(usage_error_of([&] { Rho{bad}; }), HasSubstr("rho is"));
        EXPECT_THAT(usage_error_of([&] { Rho{bad}; }), HasSubstr("give for example 0.1"));
        EXPECT_THAT(usage_error_of([&] { Epsilon{bad}; }), HasSubstr("epsilon is"));
        EXPECT_THAT(usage_error_of([&] { Delta{bad}; }), HasSubstr("between 0 and 1"));
    }
    EXPECT_THAT(usage_error_of([] { Delta{1.0}; }), HasSubstr("delta is 1,"));
    EXPECT_THAT(usage_error_of([] { Delta{1.5}; }), HasSubstr("give less than"));
    EXPECT_EQ(Rho(0.1).value(), 0.1);
    EXPECT_EQ(Epsilon(5e-324).value(), 5e-324);
    EXPECT_EQ(Delta(std::nextafter(1.0, 0.0)).value(), std::nextafter(1.0, 0.0));
}

TEST(Share, IsExactForPowersOfTwo) {
    std::mt19937_64 engine(1);
    for (int i = 0; i < 10000; ++i) {
        const double whole = random_budget(engine);
        EXPECT_EQ(Rho(whole).share(1, 0).value(), whole);
        EXPECT_EQ(Rho(whole).share(1, 3).value(), whole / 8.0);
        EXPECT_EQ(Epsilon(whole).share(4, 3).value(), whole / 2.0);
    }
}

TEST(Share, IsTheLargestDoubleNotAboveTheExactShare) {
    std::mt19937_64 engine(2);
    std::uniform_int_distribution<unsigned> log2_denominators(1, 20);
    int rounded = 0;
    for (int i = 0; i < 100000; ++i) {
        const double whole = random_budget(engine);
        const unsigned log2_denominator = log2_denominators(engine);
        const unsigned numerator =
            std::uniform_int_distribution<unsigned>(1, 1U << log2_denominator)(engine);
        const double share = Rho(whole).share(numerator, log2_denominator).value();
        // Sign of (share - exact share), scaled so that nothing under- or overflows.
        const auto excess = [&](double candidate) {
            int exponent = 0;
            const double unit = std::frexp(whole, &exponent);
            const double scaled =
                std::ldexp(candidate, static_cast<int>(log2_denominator) - exponent);
            return std::fma(-unit, numerator, scaled);
        };
        ASSERT_LE(excess(share), 0.0) << whole << " " << numerator << "/2^" << log2_denominator;
        ASSERT_GT(excess(std::nextafter(share, infinity)), 0.0);
        rounded += excess(share) < 0.0 ? 1 : 0;
    }
    EXPECT_GT(rounded, 50000);  // the rounding is exercised
}

TEST(Share, HoldsAtTheEndsOfTheRange) {
    const double most = std::numeric_limits<double>::max();
    EXPECT_LT(Rho(most).share(3, 2).value(), most);
    EXPECT_EQ(Rho(5e-324).share(1, 0).value(), 5e-324);
    EXPECT_EQ(Rho(3 * 5e-324).share(1, 1).value(), 5e-324);  // 1.5 rounds down
    EXPECT_THAT(usage_error_of([] { (void)Rho(5e-324).share(1, 1); }), HasSubstr("too small"));
}

TEST(Share, RefusesWhatIsNoShare) {
    EXPECT_THROW((void)Rho(1.0).share(0, 3), UsageError);
    EXPECT_THROW((void)Rho(1.0).share(9, 3), UsageError);
    EXPECT_THROW((void)Epsilon(1.0).share(1, 64), UsageError);
    EXPECT_THAT(usage_error_of([] { (void)Rho(1.0).share(9, 3); }), HasSubstr("9 / 2^3"));
}

// What its stages add up to. Exact for shares of one budget in parts of no less than 2^-10.
template <class Share>
long double spent(const detail::BudgetMeter<Share>& meter) {
    long double sum = 0.0L;
    for (const Stage<Share>& stage : meter.stages()) {
        sum += static_cast<long double>(stage.spent.value());
    }
    return sum;
}

TEST(RhoMeter, RecordsStages) {
    detail::RhoMeter meter(Rho(0.5));
    EXPECT_TRUE(meter.stages().empty());
    EXPECT_EQ(meter.spend("trace", Rho(0.125), "the trace").value(), 0.125);
    (void)meter.spend("release", Rho(0.25), "the matrix");
    EXPECT_EQ(spent(meter), 0.375L);
    EXPECT_EQ(meter.total().value(), 0.5);
    ASSERT_EQ(meter.stages().size(), 2U);
    EXPECT_EQ(meter.stages()[0].name, "trace");
    EXPECT_EQ(meter.stages()[0].what, "the trace");
    EXPECT_EQ(meter.stages()[1].spent.value(), 0.25);
}

TEST(RhoMeter, RefusalRecordsNothingAndSaysWhatToDo) {
    detail::RhoMeter meter(Rho(0.5));
    (void)meter.spend("first", Rho(0.25), "");
    test::expect_error<BudgetError>([&] { (void)meter.spend("second", Rho(0.375), ""); },
                                    {"second", "0.625 of a total of 0.5", "raise the budget"});
    EXPECT_EQ(meter.stages().size(), 1U);
    EXPECT_EQ(spent(meter), 0.25L);
    (void)meter.spend("third", Rho(0.25), "");
    EXPECT_EQ(spent(meter), 0.5L);
}

// The same meter; its refusal speaks of epsilon.
TEST(EpsilonMeter, CountsAndRefuses) {
    detail::EpsilonMeter meter(Epsilon(0.5));
    EXPECT_EQ(meter.spend("first", Epsilon(0.25), "").value(), 0.25);
    test::expect_error<BudgetError>([&] { (void)meter.spend("second", Epsilon(0.375), ""); },
                                    {"wants epsilon = 0.375"});
    (void)meter.spend("third", Epsilon(0.25), "");
    EXPECT_EQ(spent(meter), 0.5L);
    EXPECT_EQ(meter.stages().size(), 2U);
    EXPECT_THROW((void)meter.spend("more", Epsilon(5e-324), ""), BudgetError);
}

using Split = std::vector<std::pair<unsigned, unsigned>>;

// Whether the meter accepts the shares of the split in this order, then nothing more.
bool accepts(const Split& split, double whole) {
    detail::RhoMeter meter{Rho(whole)};
    try {
        for (const auto& [numerator, log2_denominator] : split) {
            (void)meter.spend("stage", Rho(whole).share(numerator, log2_denominator), "");
        }
    } catch (const BudgetError&) {
        return false;
    }
    return spent(meter) <= static_cast<long double>(whole);
}

// What a meter that adds with one upward rounding per stage would say.
bool accepts_when_every_sum_is_rounded_up(const Split& split, double whole) {
    double spent = 0.0;
    for (const auto& [numerator, log2_denominator] : split) {
        const double share = Rho(whole).share(numerator, log2_denominator).value();
        const double sum = spent + share;
        const double error = (spent - (sum - share)) + (share - (sum - (sum - share)));
        spent = error > 0.0 ? std::nextafter(sum, infinity) : sum;
    }
    return spent <= whole;
}

TEST(RhoMeter, NeverRefusesATrueSplit) {
    const std::vector<Split> splits = {
        {{1, 3}, {1, 3}, {1, 2}, {1, 1}}, {{1, 1}, {1, 3}, {1, 2}, {1, 3}},
        {{1, 3}, {1, 3}, {3, 2}},         {{3, 3}, {5, 3}},
        {{5, 4}, {7, 4}, {1, 4}, {3, 4}}, {{11, 5}, {13, 5}, {7, 5}, {1, 5}},
        {{333, 10}, {691, 10}},           {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 5}},
    };
    std::mt19937_64 engine(3);
    int naive_refusals = 0;
    for (int i = 0; i < 100000; ++i) {
        const double whole = random_budget(engine);
        const Split& split = splits[static_cast<std::size_t>(i) % splits.size()];
        ASSERT_TRUE(accepts(split, whole)) << whole << ", split " << i % 8;
        naive_refusals += accepts_when_every_sum_is_rounded_up(split, whole) ? 0 : 1;
    }
    // Negative control: the simpler meter does refuse true splits, so this test can fail.
    EXPECT_GT(naive_refusals, 1000);
}

TEST(RhoMeter, RefusesTheLeastOverspend) {
    std::mt19937_64 engine(4);
    int missed_by_plain_addition = 0;
    for (int i = 0; i < 100000; ++i) {
        const double whole = random_budget(engine);
        detail::RhoMeter meter{Rho(whole)};
        // 5/8 and the next double above what is left. What is left, 3/8 of the whole, is rounded up
        // here if it is no double, and the next one is more than that by an ulp at most.
        const double first = Rho(whole).share(5, 3).value();
        const double over = std::nextafter(whole - first, infinity);
        (void)meter.spend("first", Rho(first), "");
        ASSERT_THROW((void)meter.spend("over", Rho(over), ""), BudgetError) << whole;
        missed_by_plain_addition += first + over <= whole ? 1 : 0;
        // What is left exactly (Sterbenz: first lies between half the whole and the whole).
        (void)meter.spend("rest", Rho(whole - first), "");
        ASSERT_EQ(spent(meter), static_cast<long double>(whole));
        // Nothing is too small to be refused now.
        ASSERT_THROW((void)meter.spend("more", Rho(5e-324), ""), BudgetError);
    }
    // Negative control: plain addition lets many of them through.
    EXPECT_GT(missed_by_plain_addition, 10000);
}

// Parts of one that begin where the one before ends, each the greatest double: no sum of theirs is
// a double, nor a number of 200 bits, and what is left is to be had.
TEST(RhoMeter, AddsUpPartsThatNoFewBitsHold) {
    for (const int parts : {3, 5, 15}) {
        detail::RhoMeter meter{Rho(1.0)};
        double ends_at = 1.0;  // of what is left
        for (int i = 0; i < parts; ++i) {
            const double rest = i + 1 < parts ? ends_at * 0x1p-53 : 0.0;
            EXPECT_NO_THROW((void)meter.spend("part", Rho(ends_at - rest), "")) << i;
            ends_at = rest;
        }
        EXPECT_THROW((void)meter.spend("more", Rho(5e-324), ""), BudgetError);
    }
}

TEST(RhoMeter, RefusesASumBeyondTheDoubles) {
    const double most = std::numeric_limits<double>::max();
    detail::RhoMeter meter{Rho(most)};
    (void)meter.spend("all", Rho(most), "");
    EXPECT_THROW((void)meter.spend("again", Rho(most), ""), BudgetError);
}

TEST(RhoMeter, CountsWhatVanishesInADouble) {
    // Each of 256 parts of 2^-60 is lost when added to 1 alone; together they are one ulp.
    detail::RhoMeter meter{Rho(1.0 + 0x1p-52)};
    (void)meter.spend("one", Rho(1.0), "");
    for (int i = 0; i < 256; ++i) {
        (void)meter.spend("crumb", Rho(0x1p-60), "");
    }
    EXPECT_THROW((void)meter.spend("crumb", Rho(0x1p-60), ""), BudgetError);
}

}  // namespace
}  // namespace dpcov
