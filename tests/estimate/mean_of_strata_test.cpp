#include "estimate/mean_of_strata.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
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
                          double direction_of_last = 1.0, double length = 1.0) {
    const VectorXd direction = length * VectorXd::Ones(columns_of_mean).normalized();
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

// The same rows about a mean of zero. Expected is 0.10; with the clearest mean of any stratum
// it is 0.31.
TEST(MeanOfStrata, NoStratumWithoutRowsIsTheClearest) {
    const MeanErrors errors =
        mean_errors_of({1.0, 2.0, 4.0, 8.0, 16.0}, {1.0, 0.0, 0.0, 0.0, 0.0}, 1.0, 0.0);
    EXPECT_LT(errors.of_estimate, 0.12);
    EXPECT_GT(errors.of_sum, 0.4);
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

// Along the first axis nothing is shrunk; the next three have 1 - 1 v/25, the other four 1 - 2
// v/16.
TEST(ShrunkMean, MultipliesEachPartByWhatJamesAndSteinKeep) {
    const NoisyMean mean = {.mean = VectorXd{{7.0, 3.0, 0.0, 4.0, 2.0, 2.0, 2.0, 2.0}},
                            .deviation = 2.0,
                            .more_variance_along = 0.5,
                            .relative_rows_variance = 0.25};
    const MatrixXd directions = MatrixXd::Identity(8, 4);
    const NoisyMean shrunk = shrunk_mean(mean, directions, MatrixXd::Zero(8, 8));
    const double along = 1.0 - 4.0 / 25.0;
    const double across = 1.0 - 2.0 * 4.0 / 16.0;
    VectorXd expected = mean.mean;
    expected.segment(1, 3) *= along;
    expected.tail(4) *= across;
    EXPECT_LT((shrunk.mean - expected).norm(), 1e-14);
    const double variance = 4.0 * (3.0 * along + 4.0 * across) / 7.0;
    EXPECT_NEAR(shrunk.deviation, std::sqrt(variance), 1e-14);
    EXPECT_NEAR(shrunk.more_variance_along, 0.5 + 4.0 - variance, 1e-14);
    EXPECT_EQ(shrunk.relative_rows_variance, 0.25);
}

TEST(ShrunkMean, LeavesFewerThanThreeCoordinatesAsTheyAre) {
    for (Index d = 1; d <= 6; ++d) {
        const NoisyMean mean = {.mean = VectorXd::Constant(d, 1e-3), .deviation = 1.0};
        for (Index leading = 0; leading <= std::min(d, Index{3}); ++leading) {
            const NoisyMean shrunk =
                shrunk_mean(mean, MatrixXd::Identity(d, leading), MatrixXd::Zero(d, d));
            const bool any = d - leading >= 3;
            EXPECT_EQ(shrunk.mean.tail(1)[0] == 0.0, any) << d << ' ' << leading;
            EXPECT_EQ(shrunk.deviation == 1.0, !any) << d << ' ' << leading;
            EXPECT_NEAR(shrunk.deviation * shrunk.deviation + shrunk.more_variance_along, 1.0,
                        1e-15);
            EXPECT_NEAR(shrunk.mean.head(leading).norm(), mean.mean.head(leading).norm(), 1e-18);
        }
    }
}

// Squared errors over those of the noisy mean, over 4000 draws from a fixed seed: no false alarms.
double error_over_noise(const VectorXd& truth, const MatrixXd& directions,
                        const MatrixXd& second_moment) {
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal;
    double error = 0.0;
    double noise = 0.0;
    for (int draw = 0; draw < 4000; ++draw) {
        const VectorXd noisy =
            truth + VectorXd::NullaryExpr(truth.size(), [&] { return normal(generator); });
        const NoisyMean mean = {.mean = noisy, .deviation = 1.0};
        error += (shrunk_mean(mean, directions, second_moment).mean - truth).squaredNorm();
        noise += (noisy - truth).squaredNorm();
    }
    return error / noise;
}

// What is left of 8 coordinates of a mean along the first of them is at least about 1/8; James and
// Stein promise at most 1 wherever the mean is. The control shrinks along a wrong first direction.
TEST(ShrunkMean, ErrsLessThanTheNoisyMean) {
    const MatrixXd unknown = MatrixXd::Zero(8, 8);
    const VectorXd along = 10.0 * VectorXd::Unit(8, 0);
    const MatrixXd leading = MatrixXd::Identity(8, 4);
    EXPECT_LT(error_over_noise(along, leading, unknown), 0.65);  // 0.55
    EXPECT_LT(error_over_noise(along, MatrixXd::Identity(8, 1), unknown), 0.45);
    EXPECT_GT(error_over_noise(along, MatrixXd::Identity(8, 4).rowwise().reverse(), unknown), 0.6);
    for (const double length : {0.0, 1.0, 3.0, 30.0}) {
        const VectorXd anywhere = VectorXd::Constant(8, length);
        EXPECT_LT(error_over_noise(anywhere, leading, unknown), 1.01) << length;
        EXPECT_LT(error_over_noise(anywhere, MatrixXd(8, 0), unknown), 1.01) << length;
    }
}

// A mean that lies where the rows do, and the control: the same without their second moment.
TEST(ShrunkMean, SpreadsAsTheRowsDo) {
    const VectorXd truth{{10.0, 5.0, 0.2, 0.1, 0.0, 0.0}};
    const MatrixXd leading = MatrixXd::Identity(6, 4);
    const MatrixXd rows = VectorXd{{200.0, 50.0, 0.1, 0.05, 0.01, 0.01}}.asDiagonal();
    const double without = error_over_noise(truth, leading, MatrixXd::Zero(6, 6));
    EXPECT_GT(without, 0.9);
    EXPECT_LT(error_over_noise(truth, leading, rows), 0.6 * without);
}

// One that lies where the rows do not is shrunk in parts, as if nothing were known of them: by the
// estimated risk, which may be wrong where the two are near.
TEST(ShrunkMean, ElsewhereErrsLittleMore) {
    const MatrixXd leading = MatrixXd::Identity(8, 4);
    const MatrixXd rows = VectorXd{{400.0, 50.0, 10.0, 5.0, 1e-3, 1e-3, 1e-3, 1e-3}}.asDiagonal();
    for (const double length : {0.0, 1.0, 3.0, 30.0}) {
        VectorXd truth = VectorXd::Zero(8);
        truth.tail(4).setConstant(length);
        EXPECT_LT(error_over_noise(truth, leading, rows), 1.05) << length;
    }
}

TEST(NoisyMean, HasMoreNoiseInItsLongEntries) {
    const NoisyMean noisy = {
        .mean = VectorXd{{3.0, -4.0, 0.0}}, .deviation = 1.5, .more_variance_along = 4.0};
    const Eigen::ArrayXd deviations = noisy.deviations();
    EXPECT_DOUBLE_EQ(deviations[0], std::sqrt(2.25 + 4.0 * 9.0 / 25.0));
    EXPECT_DOUBLE_EQ(deviations[1], std::sqrt(2.25 + 4.0 * 16.0 / 25.0));
    EXPECT_DOUBLE_EQ(deviations[2], 1.5);
    // A mean of zero has no direction.
    EXPECT_EQ((NoisyMean{.mean = VectorXd::Zero(2), .deviation = 1.5, .more_variance_along = 4.0})
                  .deviations()[0],
              1.5);
}

TEST(LimitedTranslation, MovesNoColumnByMoreThanTwoDeviations) {
    const NoisyMean noisy = {.mean = VectorXd{{5.0, -5.0, 1.0, -1.0}}, .deviation = 1.5};
    const VectorXd told = with_limited_translation(VectorXd{{0.0, 0.0, 0.0, 0.5}}, noisy);
    EXPECT_EQ(told, (VectorXd{{2.0, -2.0, 0.0, 0.5}}));
}

}  // namespace
}  // namespace dpcov::detail
