#include "estimate/mean_of_strata.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index columns_of_mean = 8;

// A stratum of rows of the norm 0.8 radius, a share of all, with noise by its radius.
NoisyMoment noisy_stratum_of(double radius, double share, const VectorXd& direction,
                             std::mt19937_64& generator) {
    const double s = 0.01 * radius * radius;
    const double length = 0.8 * radius;
    NoisyMoment stratum{.radius = radius, .noise_scale = s, .mean_noise_scale = 0.01 * radius};
    stratum.second_moment = test::noise_of(NoiseShape::gaussian, columns_of_mean, s, generator);
    stratum.second_moment.diagonal().array() +=
        share * length * length / static_cast<double>(columns_of_mean);
    std::normal_distribution<double> normal(0.0, stratum.mean_noise_scale);
    stratum.mean = VectorXd(columns_of_mean);
    for (double& entry : stratum.mean) {
        entry = normal(generator);
    }
    stratum.mean += share * 0.5 * length * direction;
    return stratum;
}

// Root mean squares of 400 releases: the error of the estimate, what it says of it, and the error
// of the sum of all strata.
struct MeanErrors {
    double of_estimate = 0.0;
    double told = 0.0;
    double of_sum = 0.0;
};
MeanErrors mean_errors_of(const std::vector<double>& radii, const std::vector<double>& shares,
                          double direction_of_last = 1.0) {
    const VectorXd direction = VectorXd::Ones(columns_of_mean).normalized();
    constexpr int runs = 400;
    MeanErrors errors;
    for (unsigned run = 0; run < runs; ++run) {
        std::mt19937_64 generator(run);
        Statistics statistics{.rows = 1e4, .complete = true};
        VectorXd truth = VectorXd::Zero(columns_of_mean);
        VectorXd sum = VectorXd::Zero(columns_of_mean);
        for (std::size_t k = 0; k < radii.size(); ++k) {
            const VectorXd towards = (k + 1 == radii.size() ? direction_of_last : 1.0) * direction;
            statistics.strata.push_back(noisy_stratum_of(radii[k], shares[k], towards, generator));
            truth += shares[k] * 0.4 * radii[k] * towards;
            sum += statistics.strata.back().mean;
        }
        const NoisyMean mean = *mean_of_strata(statistics, traces_of(statistics));
        errors.of_estimate += (mean.mean - truth).squaredNorm() / runs;
        errors.told += (static_cast<double>(columns_of_mean) * mean.deviation * mean.deviation +
                        mean.more_variance_along) /
                       runs;
        errors.of_sum += (sum - truth).squaredNorm() / runs;
    }
    return {std::sqrt(errors.of_estimate), std::sqrt(errors.told), std::sqrt(errors.of_sum)};
}

// All rows are in the finest of five strata, an octave apart. Expected is 0.10, where
// the finest alone has 0.028; the control, the sum of all, has 0.52.
TEST(MeanOfStrata, EmptyStrataAddNoNoise) {
    const MeanErrors errors = mean_errors_of({1.0, 2.0, 4.0, 8.0, 16.0}, {1.0, 0.0, 0.0, 0.0, 0.0});
    EXPECT_LT(errors.of_estimate, 0.12);
    EXPECT_GT(errors.of_sum, 0.4);
    EXPECT_NEAR(errors.told / errors.of_estimate, 1.0, 0.35);
}

// A stratum with a quarter of the rows counts in full, whichever way these point.
TEST(MeanOfStrata, StrataWithRowsCount) {
    for (const double direction : {1.0, -1.0}) {
        const MeanErrors errors = mean_errors_of({1.0, 2.0, 4.0}, {0.5, 0.25, 0.25}, direction);
        EXPECT_LT(errors.of_estimate, 1.02 * errors.of_sum);
        EXPECT_GT(errors.of_estimate, 0.5 * errors.of_sum);  // all three have noise of their own
    }
}

TEST(MeanOfStrata, OfOneColumnHasNothingAcross) {
    const auto stratum = [](double radius, double mean) {
        return NoisyMoment{.radius = radius,
                           .second_moment = MatrixXd::Constant(1, 1, mean * mean),
                           .noise_scale = 1e-3,
                           .mean = VectorXd::Constant(1, mean),
                           .mean_noise_scale = 1e-3};
    };
    const Statistics statistics{.rows = 100.0, .strata = {stratum(1.0, 0.5), stratum(2.0, 0.25)}};
    const NoisyMean mean = *mean_of_strata(statistics, traces_of(statistics));
    EXPECT_NEAR(mean.mean[0], 0.75, 1e-4);
    EXPECT_TRUE(std::isfinite(mean.deviation));
    EXPECT_TRUE(std::isfinite(mean.more_variance_along));
}

TEST(MeanOfStrata, WithoutMeansThereIsNone) {
    EXPECT_FALSE(mean_of_strata({}, {}));
    const Statistics without{.rows = 1.0, .strata = {{.second_moment = MatrixXd::Identity(2, 2)}}};
    EXPECT_FALSE(mean_of_strata(without, traces_of(without)));
}

}  // namespace
}  // namespace dpcov::detail
