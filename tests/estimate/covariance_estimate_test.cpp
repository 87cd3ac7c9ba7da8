// The covariance from the noisy second moments of strata.
#include "estimate/covariance_estimate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>

namespace dpcov::detail {
namespace {

// Second moments of full rows that all point one way, divided by numbers of rows with noise of a
// third of them, and next to no noise besides: what the estimates err by on average. Control: the
// quotients themselves, which are far too long where that number is far too small.
TEST(StrataEstimate, ANoisyNumberOfRowsShortens) {
    constexpr Eigen::Index d = 4;
    constexpr double rows = 300.0;
    constexpr double deviation = 100.0;
    std::mt19937_64 generator(12);
    std::normal_distribution<double> normal(0.0, deviation);
    const Eigen::MatrixXd truth = Eigen::MatrixXd::Constant(d, d, 0.5 / d);
    double error = 0.0;
    double of_quotients = 0.0;
    for (int run = 0; run < 2000; ++run) {
        const double noisy = std::max(1.0, rows + normal(generator));
        const Eigen::MatrixXd quotient = rows / noisy * truth;
        // Feasible: no trace is above 1.
        of_quotients += (quotient / std::max(1.0, quotient.trace()) - truth).squaredNorm();
        const CovarianceEstimate estimate = estimate_of_strata(
            {.rows = noisy,
             .rows_deviation = deviation,
             .strata = {{.radius = 1.0, .second_moment = quotient, .noise_scale = 1e-6}},
             .complete = true},
            d, 1.0);
        error += (estimate.covariance - truth).squaredNorm();
        const double relative = deviation / noisy;
        EXPECT_NEAR(estimate.covariance.trace(),
                    std::min(1.0, quotient.trace()) / (1.0 + relative * relative), 1e-3);
    }
    EXPECT_LT(error, 0.8 * of_quotients);
}

}  // namespace
}  // namespace dpcov::detail
