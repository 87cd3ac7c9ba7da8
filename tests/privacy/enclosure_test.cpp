#include "privacy/enclosure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "support/special_numbers.hpp"

namespace dpcov::detail {
namespace {

using test::infinity;

// Neighbouring doubles: the tightest that an enclosure of an irrational can be.
void expect_neighbours_around(const Enclosure& enclosure, double near) {
    EXPECT_EQ(std::nextafter(enclosure.lower(), infinity), enclosure.upper());
    EXPECT_TRUE(enclosure.lower() == near || enclosure.upper() == near)
        << enclosure.lower() << " " << near;
}

TEST(Enclosure, OfADoubleIsThatDouble) {
    for (const double value : {0.0, 0.1, -3.5, 1e308, 5e-324}) {
        EXPECT_EQ(Enclosure(value).lower(), value);
        EXPECT_EQ(Enclosure(value).upper(), value);
    }
}

TEST(Enclosure, EnclosesWithNeighbouringDoubles) {
    // 1/3 and the others lie strictly between two doubles; the processor's and glibc's
    // nearest is one.
    expect_neighbours_around(Enclosure(1.0) / 3.0, 1.0 / 3.0);
    expect_neighbours_around(Enclosure(-1.0) / 3.0, -1.0 / 3.0);
    expect_neighbours_around(Enclosure(0.1) * 0.1, 0.1 * 0.1);
    expect_neighbours_around(Enclosure(0.1) + 1e-30, 0.1);
    expect_neighbours_around(Enclosure(0.1) - 1e-30, 0.1);
    expect_neighbours_around(sqrt(Enclosure(2.0)), std::sqrt(2.0));
    expect_neighbours_around(exp(Enclosure(1.0)), 2.718281828459045);
    expect_neighbours_around(log(Enclosure(2.0)), 0.6931471805599453);
    expect_neighbours_around(log1p(Enclosure(1.0)), 0.6931471805599453);
}

TEST(Enclosure, KeepsBothEndsThroughEveryOperation) {
    // 1/3 is no binary number, so the difference of two enclosures must straddle zero; an operation
    // that took one end for both would collapse it.
    const Enclosure third = Enclosure(1.0) / 3.0;
    const Enclosure also_third = Enclosure(2.0) / 6.0;
    const Enclosure zero = third - also_third;
    EXPECT_LT(zero.lower(), 0.0);
    EXPECT_GT(zero.upper(), 0.0);
    for (const Enclosure& scaled : {zero + 0.0, zero / 3.0, Enclosure(0.0) - zero, zero / third}) {
        EXPECT_LT(scaled.lower(), 0.0);
        EXPECT_GT(scaled.upper(), 0.0);
    }
}

TEST(Enclosure, DividesByAWideIntervalTheRightWayRound) {
    // The width of 1/3 - 1/3, magnified to that of everyday numbers and moved to about 2.
    const Enclosure zero = Enclosure(1.0) / 3.0 - Enclosure(2.0) / 6.0;
    const Enclosure wide = zero / zero.upper() + 2.0;
    ASSERT_LT(wide.lower(), 1.5);
    ASSERT_GT(wide.lower(), 0.0);
    ASSERT_GT(wide.upper(), 2.5);
    const Enclosure positive = Enclosure(1.0) / wide;
    EXPECT_LE(positive.lower(), 1.0 / wide.upper());
    EXPECT_GE(positive.upper(), 1.0 / wide.lower());
    const Enclosure negative = Enclosure(-1.0) / wide;
    EXPECT_LE(negative.lower(), -1.0 / wide.lower());
    EXPECT_GE(negative.upper(), -1.0 / wide.upper());
    EXPECT_LT(negative.upper(), 0.0);
}

// An irrational has two ends, however many bits there are: a number less itself straddles zero.
TEST(Enclosure, OfAnIrrationalHasTwoEnds) {
    for (const Enclosure& value :
         {exp(Enclosure(1.0)), log(Enclosure(3.0)), log1p(Enclosure(2.0)), sqrt(Enclosure(2.0)),
          erfc(Enclosure(1.0)), Enclosure(1.0) / 3.0}) {
        const Enclosure zero = value - value;
        EXPECT_LT(zero.lower(), 0.0) << value.upper();
        EXPECT_GT(zero.upper(), 0.0) << value.upper();
    }
}

// Each function takes its least value at one end of a wide interval, and its greatest at the other.
TEST(Enclosure, OfAWideIntervalReachesToBothOfItsEnds) {
    const Enclosure zero = Enclosure(1.0) / 3.0 - Enclosure(2.0) / 6.0;
    const Enclosure wide = zero / zero.upper() + 2.0;
    ASSERT_LT(wide.lower(), 1.5);
    ASSERT_GT(wide.upper(), 2.5);
    struct Function {
        Enclosure image;
        double (*in_doubles)(double);
    };
    constexpr double hair = 1e-13;
    for (const auto& [image, in_doubles] :
         {Function{exp(wide), [](double x) { return std::exp(x); }},
          Function{log(wide), [](double x) { return std::log(x); }},
          Function{log1p(wide), [](double x) { return std::log1p(x); }},
          Function{sqrt(wide), [](double x) { return std::sqrt(x); }},
          Function{erfc(wide), [](double x) { return std::erfc(x); }}}) {
        const double at_low = in_doubles(wide.lower());
        const double at_high = in_doubles(wide.upper());
        EXPECT_NEAR(image.lower(), std::min(at_low, at_high), hair);
        EXPECT_NEAR(image.upper(), std::max(at_low, at_high), hair);
    }
}

TEST(Enclosure, RoundsOutwardBeyondTheRangeOfDoubles) {
    const Enclosure tiny = Enclosure(5e-324) / 2.0;
    EXPECT_EQ(tiny.lower(), 0.0);
    EXPECT_EQ(tiny.upper(), 5e-324);
    const Enclosure huge = Enclosure(1e308) * 1e308;
    EXPECT_EQ(huge.lower(), std::numeric_limits<double>::max());
    EXPECT_EQ(huge.upper(), infinity);
    EXPECT_EQ(exp(Enclosure(-1e300)).lower(), 0.0);
    EXPECT_EQ(exp(Enclosure(-1e300)).upper(), 5e-324);
}

// The leak sanitizer is the judge: MPFR keeps caches for each thread.
TEST(Enclosure, LeavesNothingBehindInAThread) {
    double image = 0.0;
    std::thread([&] { image = log(exp(Enclosure(3.0))).upper(); }).join();
    EXPECT_GE(image, 3.0);
}

TEST(Enclosure, CopiesAreIndependent) {
    const Enclosure original(0.25);
    const Enclosure copy = original;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(copy.lower(), 0.25);
    EXPECT_EQ((copy + original).upper(), 0.5);
}

}  // namespace
}  // namespace dpcov::detail
