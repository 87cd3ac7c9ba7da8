// Sums of the decimals that doubles print as.
#include "privacy/decimal_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/special_numbers.hpp"

namespace dpcov::detail {
namespace {

using test::infinity;

TEST(DecimalSum, TenTenthsAreOne) {
    DecimalSum sum;
    double in_doubles = 0.0;
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(sum.at_most(1.0));
        sum.add(0.1);
        in_doubles += 0.1;
    }
    EXPECT_NE(in_doubles, 1.0);  // control: doubles get it wrong
    EXPECT_TRUE(sum.at_most(1.0));
    EXPECT_EQ(sum.rounded_up(), 1.0);
    EXPECT_EQ(sum.left_of(1.0), 0.0);
    EXPECT_FALSE(sum.at_most(std::nextafter(1.0, 0.0)));
    sum.add(5e-324);
    EXPECT_FALSE(sum.at_most(1.0));
    EXPECT_EQ(sum.rounded_up(), std::nextafter(1.0, 2.0));
}

// The product of a double with a power of two is exact, and below as many of its decimals.
TEST(DecimalSum, ManyTimesOneValue) {
    constexpr double value = 0.6958328667684435;
    DecimalSum many;
    many.add(value, 1024.0);
    EXPECT_FALSE(many.at_most(1024.0 * value));
    EXPECT_TRUE(many.at_most(many.rounded_up()));
    DecimalSum one_by_one;
    for (int i = 0; i < 1024; ++i) {
        one_by_one.add(value);
    }
    EXPECT_EQ(many.rounded_up(), one_by_one.rounded_up());
    DecimalSum tenths;
    tenths.add(0.1, 1e15);
    EXPECT_EQ(tenths.rounded_up(), 1e14);
}

TEST(EqualPart, AddsUpToAtMostTheWhole) {
    for (const double whole : {0.1, 0.3, 1.0, 0.0280144819126303, 5e-310}) {
        for (const double parts : {1.0, 3.0, 9.0, 11.0, 1e12}) {
            const double part = equal_part(whole, parts);
            DecimalSum sum;
            sum.add(part, parts);
            EXPECT_TRUE(sum.at_most(whole)) << whole << " " << parts;
            DecimalSum more;
            more.add(std::nextafter(part, infinity), parts);
            EXPECT_FALSE(more.at_most(whole)) << whole << " " << parts;
        }
    }
    EXPECT_EQ(equal_part(0.3, 3.0), 0.1);  // in doubles a little less
    EXPECT_EQ(equal_part(5e-324, 3.0), 0.0);
    DecimalSum nearest;  // control: the nearest double is too much
    nearest.add(1.0 / 11.0, 11.0);
    EXPECT_FALSE(nearest.at_most(1.0));
}

TEST(DecimalSum, GivesBackADoubleByItself) {
    for (const double value : {5e-324, 1e-300, 0.1, 0.3, 1.0, 1.5, 123456789.123, 1e22, 1e23,
                               9.5e300, std::numeric_limits<double>::max()}) {
        DecimalSum sum;
        sum.add(value);
        EXPECT_EQ(sum.rounded_up(), value);
        EXPECT_TRUE(sum.at_most(value));
        EXPECT_FALSE(sum.at_most(std::nextafter(value, 0.0)));
        EXPECT_EQ(sum.left_of(value), 0.0);
        EXPECT_EQ(DecimalSum().left_of(value), value);
    }
}

TEST(DecimalSum, WhatIsLeftRoundsDown) {
    DecimalSum sum;
    sum.add(0.1);
    EXPECT_EQ(sum.left_of(0.3), 0.2);
    EXPECT_EQ(sum.left_of(0.1), 0.0);
    EXPECT_EQ(sum.left_of(0.05), 0.0);
    // 1e16 - 0.1 is no double: the one below it is 2 less.
    EXPECT_EQ(sum.left_of(1e16), std::nextafter(1e16, 0.0));
}

TEST(DecimalSum, EmptyIsZero) {
    const DecimalSum sum;
    EXPECT_EQ(sum.rounded_up(), 0.0);
    EXPECT_TRUE(sum.at_most(5e-324));
}

TEST(DecimalSum, PastTheGreatestDouble) {
    DecimalSum sum;
    sum.add(std::numeric_limits<double>::max());
    sum.add(std::numeric_limits<double>::max());
    EXPECT_FALSE(sum.at_most(std::numeric_limits<double>::max()));
    EXPECT_EQ(sum.rounded_up(), infinity);
}

}  // namespace
}  // namespace dpcov::detail
