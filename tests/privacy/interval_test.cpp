#include "privacy/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "support/special_numbers.hpp"

namespace dpcov::detail {
namespace {

using test::infinity;

// Neighbouring doubles: the tightest that an enclosure of an irrational can be.
void expect_neighbours_around(const Interval& interval, double near) {
    EXPECT_EQ(std::nextafter(interval.lower(), infinity), interval.upper());
    EXPECT_TRUE(interval.lower() == near || interval.upper() == near)
        << interval.lower() << " " << near;
}

TEST(Interval, OfADoubleIsThatDouble) {
    for (const double value : {0.0, 0.1, -3.5, 1e308, 5e-324}) {
        EXPECT_EQ(Interval(value).lower(), value);
        EXPECT_EQ(Interval(value).upper(), value);
    }
}

TEST(Interval, EnclosesWithNeighbouringDoubles) {
    // 1/3 and the others lie strictly between two doubles; x86's and glibc's nearest is one.
    expect_neighbours_around(Interval(1.0) / 3.0, 1.0 / 3.0);
    expect_neighbours_around(Interval(-1.0) / 3.0, -1.0 / 3.0);
    expect_neighbours_around(Interval(0.1) * 0.1, 0.1 * 0.1);
    expect_neighbours_around(Interval(0.1) + 1e-30, 0.1);
    expect_neighbours_around(Interval(0.1) - 1e-30, 0.1);
    expect_neighbours_around(sqrt(Interval(2.0)), std::sqrt(2.0));
    expect_neighbours_around(exp(Interval(1.0)), 2.718281828459045);
    expect_neighbours_around(log(Interval(2.0)), 0.6931471805599453);
    expect_neighbours_around(log1p(Interval(1.0)), 0.6931471805599453);
}

TEST(Interval, KeepsBothEndsThroughEveryOperation) {
    // 1/3 is no binary number, so the difference of two enclosures must straddle zero; an operation
    // that took one end for both would collapse it.
    const Interval third = Interval(1.0) / 3.0;
    const Interval also_third = Interval(2.0) / 6.0;
    const Interval zero = third - also_third;
    EXPECT_LT(zero.lower(), 0.0);
    EXPECT_GT(zero.upper(), 0.0);
    for (const Interval& scaled : {zero + 0.0, zero / 3.0, Interval(0.0) - zero, zero / third}) {
        EXPECT_LT(scaled.lower(), 0.0);
        EXPECT_GT(scaled.upper(), 0.0);
    }
}

TEST(Interval, DividesByAWideIntervalTheRightWayRound) {
    // The width of 1/3 - 1/3, magnified to that of everyday numbers and moved to about 2.
    const Interval zero = Interval(1.0) / 3.0 - Interval(2.0) / 6.0;
    const Interval wide = zero / zero.upper() + 2.0;
    ASSERT_LT(wide.lower(), 1.5);
    ASSERT_GT(wide.lower(), 0.0);
    ASSERT_GT(wide.upper(), 2.5);
    const Interval positive = Interval(1.0) / wide;
    EXPECT_LE(positive.lower(), 1.0 / wide.upper());
    EXPECT_GE(positive.upper(), 1.0 / wide.lower());
    const Interval negative = Interval(-1.0) / wide;
    EXPECT_LE(negative.lower(), -1.0 / wide.lower());
    EXPECT_GE(negative.upper(), -1.0 / wide.upper());
    EXPECT_LT(negative.upper(), 0.0);
}

TEST(Interval, RoundsOutwardBeyondTheRangeOfDoubles) {
    const Interval tiny = Interval(5e-324) / 2.0;
    EXPECT_EQ(tiny.lower(), 0.0);
    EXPECT_EQ(tiny.upper(), 5e-324);
    const Interval huge = Interval(1e308) * 1e308;
    EXPECT_EQ(huge.lower(), std::numeric_limits<double>::max());
    EXPECT_EQ(huge.upper(), infinity);
    EXPECT_EQ(exp(Interval(-1e300)).lower(), 0.0);
    EXPECT_EQ(exp(Interval(-1e300)).upper(), 5e-324);
}

// The leak sanitizer is the judge: MPFR keeps caches for each thread.
TEST(Interval, LeavesNothingBehindInAThread) {
    double image = 0.0;
    std::thread([&] { image = log(exp(Interval(3.0))).upper(); }).join();
    EXPECT_GE(image, 3.0);
}

TEST(Interval, CopiesAreIndependent) {
    const Interval original(0.25);
    const Interval copy = original;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(copy.lower(), 0.25);
    EXPECT_EQ((copy + original).upper(), 0.5);
}

}  // namespace
}  // namespace dpcov::detail
