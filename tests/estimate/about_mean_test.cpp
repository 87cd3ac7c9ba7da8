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
    const auto estimate = [&](double rows_deviation, double norm_bound) {
        const double squared = norm_bound * norm_bound;
        const Eigen::MatrixXd about =
            estimate_of_strata(
                {.rows = 1000.0,
                 .rows_deviation = rows_deviation,
                 .strata = {{.radius = norm_bound,
                             .second_moment = squared * too_short * mean * mean.transpose(),
                             .noise_scale = squared * 1e-4,
                             .mean = norm_bound * too_short * mean,
                             .mean_noise_scale = norm_bound * 1e-4}},
                 .complete = true},
                d, norm_bound)
                .covariance;
        return Eigen::MatrixXd(about / squared);
    };
    for (const double norm_bound : {1.0, 5.0}) {
        EXPECT_TRUE(estimate(30.0, norm_bound).isZero(0.0));
        EXPECT_NEAR(estimate(0.0, norm_bound).norm(), 0.64 * too_short * (1.0 - too_short), 2e-3);
    }
}

}  // namespace
}  // namespace dpcov::detail
