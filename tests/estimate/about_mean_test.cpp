// Covariances about a noisy mean, from the strata's noisy second moments.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "estimate/covariance_estimate.hpp"

namespace dpcov::detail {
namespace {

// Rows that are all alike, divided by a number of rows that is 3 % too great: second moment and
// mean are that much too short, and their difference is a multiple of m m^T. Control: where that
// number is known it is what varies.
TEST(AboutMean, TheNoiseOfTheNumberOfRowsIsNoSignal) {
    constexpr Eigen::Index d = 12;
    constexpr double too_short = 0.97;
    const Eigen::VectorXd mean = Eigen::VectorXd::Constant(d, 0.8 / std::sqrt(12.0));
    const auto estimate = [&](double rows_deviation) {
        return estimate_of_strata({.rows = 1000.0,
                                   .rows_deviation = rows_deviation,
                                   .strata = {{.radius = 1.0,
                                               .second_moment = too_short * mean * mean.transpose(),
                                               .noise_scale = 1e-4,
                                               .mean = too_short * mean,
                                               .mean_noise_scale = 1e-4}},
                                   .complete = true},
                                  d, 1.0)
            .covariance;
    };
    EXPECT_TRUE(estimate(30.0).isZero(0.0));
    EXPECT_NEAR(estimate(0.0).norm(), 0.64 * too_short * (1.0 - too_short), 2e-3);
}

}  // namespace
}  // namespace dpcov::detail
