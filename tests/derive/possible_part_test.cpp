// What is left of an interval where noise has moved it beyond what is possible.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "derive/intervals.hpp"
#include "derive/linear_function.hpp"

namespace dpcov {
namespace {

// Of a told value with normal noise of deviation 1: of a number from 0 to `most`.
Interval two_sided(double told, double level) {
    const double z = detail::NoiseQuantile(level).with(0.0);
    return {.standard_error = 1.0, .lower = told - z, .upper = told + z};
}
Interval one_sided(double told, double level) {
    const double z = detail::one_sided_quantile(level).with(0.0);
    return {.standard_error = 1.0, .lower = told - z, .upper = told + z};
}

double covered(double truth, double most, double level) {
    constexpr double step = 1e-3;
    double sum = 0.0;
    for (double noise = -8.0; noise < 8.0; noise += step) {
        const double told = truth + noise;
        const Interval told_of =
            detail::possible_part(two_sided(told, level), one_sided(told, level), 0.0, most);
        if (told_of.lower <= truth && truth <= told_of.upper) {
            sum += step * std::exp(-0.5 * noise * noise) / std::sqrt(2.0 * std::numbers::pi);
        }
    }
    return sum;
}

TEST(PossiblePart, CoversAsOftenNearTheEnds) {
    for (const double level : {0.5, 0.9, 0.95, 0.99}) {
        for (const double truth : {0.0, 0.01, 0.5, 0.99, 1.01, 1.7, 3.0}) {
            EXPECT_NEAR(covered(truth, 10.0, level), level, 1e-3) << level << ' ' << truth;
            EXPECT_NEAR(covered(10.0 - truth, 10.0, level), level, 1e-3) << level << ' ' << truth;
        }
    }
    // Where both ends are near, nothing is ruled out.
    EXPECT_NEAR(covered(0.5, 1.0, 0.95), 1.0, 1e-3);
}

TEST(PossiblePart, IsNoPoint) {
    for (const double told : {-50.0, -2.0, -1.9, 0.0, 5.0, 10.0, 12.0, 60.0}) {
        const Interval both =
            detail::possible_part(two_sided(told, 0.95), one_sided(told, 0.95), 0.0, 10.0);
        const Interval plain = detail::possible_part(two_sided(told, 0.95), 0.0, 10.0);
        for (const Interval& each : {both, plain}) {
            EXPECT_GE(each.lower, 0.0);
            EXPECT_LE(each.upper, 10.0);
            EXPECT_GE(each.upper - each.lower, 1.0 - 1e-12) << told;
        }
    }
    const Interval all = detail::possible_part(two_sided(0.1, 0.95), 0.0, 0.5);
    EXPECT_EQ(all.lower, 0.0);
    EXPECT_EQ(all.upper, 0.5);
    // Nothing was told.
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const Interval nothing =
        detail::possible_part({.standard_error = 1.0, .lower = -infinite, .upper = infinite},
                              one_sided(7.0, 0.95), 0.0, 10.0);
    EXPECT_EQ(nothing.lower, 0.0);
    EXPECT_EQ(nothing.upper, 10.0);
}

}  // namespace
}  // namespace dpcov
