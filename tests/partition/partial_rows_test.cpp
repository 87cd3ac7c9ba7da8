#include "partition/partial_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dpcov::detail {
namespace {

struct Case {
    double inner;
    OwnSquares own;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const double inner : {1.001, 1.1, 1.5, 2.0, 4.0, 16.0}) {
        for (const double greatest : {1.0, 0.9, 0.5, 0.1, 1e-6}) {
            for (const double least : {0.999, 0.9, 0.25}) {
                all.push_back({inner, {least * greatest, greatest}});
            }
        }
    }
    return all;
}

// What a row of squared norm t weighs in a stratum of squared radius 1, over what a full one does:
// its square with its sum by weight c and with 1 - t where rows are counted.
double squared_weight(double t, double c, bool counts) {
    return (t * t + 2.0 * c * c * t + (counts ? (1.0 - t) * (1.0 - t) : 0.0)) / (1.0 + 2.0 * c * c);
}

// In the nuclear norm, of (x, c) (x, c)^T.
double nuclear_weight(double t, double c) {
    return (t + c * c) / (1.0 + c * c);
}

// Whatever is asked for, and wherever in its bin the row is. Control: twice as much is too
// much for some row.
TEST(PartialRows, WeighNoMoreThanAWholeOne) {
    for (const auto& [inner, own] : cases()) {
        const double w = greatest_part(inner, own, NoiseShape::gaussian);
        const double v = greatest_part(inner, own, NoiseShape::wishart);
        ASSERT_GT(w, 0.0);
        ASSERT_LE(w, 1.0);
        ASSERT_GE(v, 0.0);
        ASSERT_LE(v, 1.0);
        double most = 0.0;
        double most_beyond = 0.0;
        double most_nuclear = 0.0;
        for (int step = 0; step <= 20; ++step) {
            const double u = std::lerp(own.least, own.greatest, step / 20.0);
            const double t = std::max(1.0, inner * u / own.greatest);
            for (const double c : {0.0, 0.2, 1.0}) {
                for (const bool counts : {false, true}) {
                    const auto weight = [&](double part) {
                        return part * part * squared_weight(t, c, counts) +
                               (1.0 - part) * (1.0 - part) * squared_weight(u, c, counts);
                    };
                    most = std::max(most, weight(w));
                    most_beyond = std::max(most_beyond, weight(2.0 * w));
                }
                most_nuclear = std::max(
                    most_nuclear, v * nuclear_weight(t, c) + (1.0 - v) * nuclear_weight(u, c));
            }
        }
        EXPECT_LE(most, 1.0 + 1e-12) << inner << ' ' << own.least << ' ' << own.greatest;
        EXPECT_LE(most_nuclear, 1.0 + 1e-12) << inner << ' ' << own.greatest;
        EXPECT_GT(most_beyond, 1.0) << inner << ' ' << own.least << ' ' << own.greatest;
    }
}

// A row that is hardly too long counts almost in whole, one that is far too long hardly at all.
TEST(PartialRows, AreLessTheLongerTheyAre) {
    double last = 1.0;
    for (const double inner : {1.0 + 1e-9, 1.1, 1.5, 2.0, 5.0, 50.0}) {
        const double w = greatest_part(inner, {0.4, 0.5}, NoiseShape::gaussian);
        EXPECT_LT(w, last);
        EXPECT_GT(w * inner, greatest_part(inner, {0.4, 0.5}, NoiseShape::wishart) * inner);
        last = w;
    }
    EXPECT_NEAR(greatest_part(1.0 + 1e-9, {0.4, 0.5}, NoiseShape::gaussian), 1.0, 1e-6);
    // Under pure DP the coarsest rows of a stratum count in no other.
    EXPECT_EQ(greatest_part(1.5, {0.9, 1.0}, NoiseShape::wishart), 0.0);
}

}  // namespace
}  // namespace dpcov::detail
