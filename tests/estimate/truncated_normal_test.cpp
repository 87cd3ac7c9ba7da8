#include "estimate/truncated_normal.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dpcov::detail {
namespace {

TEST(PositiveMean, IsThatOfTheTruncatedNormalLaw) {
    EXPECT_DOUBLE_EQ(positive_mean(0.0, 2.0), 2.0 * std::sqrt(2.0 / std::acos(-1.0)));
    EXPECT_DOUBLE_EQ(positive_mean(10.0, 1.0), 10.0);
    // phi(-1) / Phi(-1) - 1
    EXPECT_NEAR(positive_mean(-1.0, 1.0), 0.525135276160981, 1e-14);
    // Both sides of where the far tail begins.
    EXPECT_NEAR(positive_mean(-30.001, 1.0) / positive_mean(-29.999, 1.0), 1.0, 3e-3);
}

// Values of scipy.stats.truncnorm.
TEST(MeanWithinOne, IsThatOfTheTruncatedNormalLaw) {
    EXPECT_NEAR(mean_within_one(0.5, 0.5), 0.35860694463643295, 1e-14);
    EXPECT_NEAR(mean_within_one(2.0, 1.0), 0.4899504867560165, 1e-14);
    EXPECT_NEAR(mean_within_one(-0.9, 0.3), -0.7204529168963945, 1e-14);
    EXPECT_NEAR(mean_within_one(5.0, 0.2), 0.9900493862943414, 1e-12);
    EXPECT_NEAR(mean_within_one(3.0, 10.0), 0.0099860753535026, 1e-12);
    EXPECT_EQ(mean_within_one(0.0, 1.0), 0.0);
    EXPECT_EQ(mean_within_one(0.25, 0.0), 0.25);
    EXPECT_EQ(mean_within_one(-7.0, 0.0), -1.0);
}

TEST(MeanWithinOne, GoesOnWhereFormulasChange) {
    EXPECT_NEAR((1.0 - mean_within_one(1.0 + 30.001, 1.0)) / (1.0 - mean_within_one(30.999, 1.0)),
                1.0, 3e-3);
    EXPECT_NEAR(mean_within_one(1e4, 9999.0) / mean_within_one(1e4, 10001.0), 1.0, 1e-3);
    EXPECT_EQ(mean_within_one(1e200, 1e50), 1.0);
}

}  // namespace
}  // namespace dpcov::detail
