// Covariances about a noisy mean, from the strata's noisy second moments.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <utility>

#include "estimate/covariance_estimate.hpp"
#include "matrices.hpp"

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

// The number is four times too great, by three of its deviations: what is left is three times the
// square of the mean, as it seems, but three deviations of the second moment.
TEST(AboutMean, ANumberOfRowsThatIsFarTooGreatIsNoSignal) {
    constexpr Eigen::Index d = 6;
    constexpr double too_short = 0.25;
    const Eigen::VectorXd mean = Eigen::VectorXd::Constant(d, 0.9 / std::sqrt(6.0));
    const auto is_zero = [&](double rows_deviation) {
        return estimate_of_strata({.rows = 400.0,
                                   .rows_deviation = rows_deviation,
                                   .strata = {{.radius = 1.0,
                                               .second_moment = too_short * mean * mean.transpose(),
                                               .noise_scale = 1e-3,
                                               .mean = too_short * mean,
                                               .mean_noise_scale = 1e-3}},
                                   .complete = true},
                                  d, 1.0)
            .covariance.isZero(0.0);
    };
    EXPECT_TRUE(is_zero(100.0));
    EXPECT_FALSE(is_zero(30.0));  // Control: it would be ten deviations
}

// Rows that are all alike, far from the midpoints, in the coarsest of three strata that have the
// same noise: along the mean the noise of all adds up, and what it leaves is no covariance. 24 of
// 20,000 such releases show something, so more than 3 of 200 for one seed in 10,000. Without the
// noise of the other strata along the mean 5 of these 200 do, without the rule 22.
// Control: columns of variance 0.025 are seen in all.
TEST(AboutMean, NoiseAlongTheMeanIsNoSignal) {
    constexpr Eigen::Index d = 6;
    constexpr int releases = 200;
    std::mt19937_64 generator(7);
    std::normal_distribution<double> normal;
    const Eigen::VectorXd mean = Eigen::VectorXd::Constant(d, 0.9 / std::sqrt(6.0));
    constexpr double mean_noise = 0.003;
    const auto seen = [&](double variance) {
        int not_zero = 0;
        for (int release = 0; release < releases; ++release) {
            Statistics statistics{.rows = 1000.0, .complete = true};
            for (int k = 0; k < 3; ++k) {
                NoisyMoment stratum{.radius = std::ldexp(1.0, k - 2),
                                    .second_moment = Eigen::MatrixXd::Zero(d, d),
                                    .noise_scale = 1e-5,
                                    .mean = Eigen::VectorXd::NullaryExpr(
                                        d, [&] { return mean_noise * normal(generator); }),
                                    .mean_noise_scale = mean_noise};
                if (k == 2) {
                    stratum.second_moment = mean * mean.transpose();
                    stratum.second_moment.diagonal().array() += variance;
                    stratum.mean += mean;
                }
                statistics.strata.push_back(std::move(stratum));
            }
            not_zero += estimate_of_strata(statistics, d, 1.0).covariance.isZero(0.0) ? 0 : 1;
        }
        return not_zero;
    };
    EXPECT_LE(seen(0.0), 3);
    EXPECT_EQ(seen(0.025), releases);
}

// Rows that are all alike, whose mean is known well: the noise of the second moment is no
// covariance either.
TEST(AboutMean, NoiseOfTheSecondMomentIsNoSignal) {
    constexpr Eigen::Index d = 3;
    constexpr double s = 0.02;
    constexpr int releases = 400;
    const Eigen::VectorXd mean = Eigen::VectorXd::Constant(d, 0.9 / std::sqrt(3.0));
    const auto seen = [&](double variance) {
        int not_zero = 0;
        for (unsigned release = 0; release < releases; ++release) {
            std::mt19937_64 generator(release);
            Eigen::MatrixXd second_moment = mean * mean.transpose();
            second_moment.diagonal().array() += variance;
            second_moment += test::noise_of(NoiseShape::gaussian, d, s, generator);
            not_zero += estimate_of_strata({.rows = 1000.0,
                                            .strata = {{.radius = 1.0,
                                                        .second_moment = second_moment,
                                                        .noise_scale = s,
                                                        .mean = mean,
                                                        .mean_noise_scale = 1e-4}},
                                            .complete = true},
                                           d, 1.0)
                                .covariance.isZero(0.0)
                            ? 0
                            : 1;
        }
        return not_zero;
    };
    EXPECT_LE(seen(0.0), 3);  // 0; without that noise in the rule 185 of 400
    EXPECT_EQ(seen(0.1), releases);
}

// Across a mean of length 0.5 lies noise of 0.6, which is shrunk away. By 0.42 the second moment is
// greater along the mean than this: about the shrunk mean that would be seen (0.39), about the
// noisy one, which is longer, it is not. Controls: with more, or with less noise, it is seen about
// both.
TEST(AboutMean, WhatIsSeenAboutTheShrunkMeanAloneIsNoSignal) {
    constexpr Eigen::Index d = 100;
    const auto seen = [&](double mean_noise, double more) {
        const Eigen::VectorXd direction = Eigen::VectorXd::Constant(d, 0.1);
        const Eigen::VectorXd noise = Eigen::VectorXd::NullaryExpr(
            d, [&](Eigen::Index j) { return j % 2 == 0 ? mean_noise : -mean_noise; });
        return estimate_of_strata(
                   {.rows = 1000.0,
                    .strata = {{.radius = 1.0,
                                .second_moment = (0.25 + more) * direction * direction.transpose(),
                                .noise_scale = 0.02,
                                .mean = 0.5 * direction + noise,
                                .mean_noise_scale = mean_noise}},
                    .complete = true},
                   d, 1.0)
            .covariance.norm();
    };
    EXPECT_EQ(seen(0.06, 0.42), 0.0);
    EXPECT_GT(seen(0.06, 0.58), 0.4);
    EXPECT_GT(seen(0.01, 0.42), 0.3);
}

// A column that is 8 deviations from all others: James and Stein's estimate would move it by 4.9.
TEST(AboutMean, TheToldMeanMovesNoColumnFurtherThanTwoDeviations) {
    constexpr Eigen::Index d = 100;
    constexpr double mean_noise = 0.06;
    Eigen::VectorXd noisy = Eigen::VectorXd::NullaryExpr(
        d, [](Eigen::Index j) { return j % 2 == 0 ? mean_noise : -mean_noise; });
    noisy[5] = 0.5;
    const Eigen::VectorXd told =
        *estimate_of_strata({.rows = 1000.0,
                             .strata = {{.radius = 1.0,
                                         .second_moment = Eigen::MatrixXd::Zero(d, d),
                                         .noise_scale = 0.02,
                                         .mean = noisy,
                                         .mean_noise_scale = mean_noise}},
                             .complete = true},
                            d, 1.0)
             .mean;
    EXPECT_NEAR(told[5], 0.5 - 2.0 * mean_noise, 1e-12);
    EXPECT_LT((told - noisy).cwiseAbs().maxCoeff(), 2.0 * mean_noise + 1e-12);
    EXPECT_LT(std::abs(told[0]), 0.5 * mean_noise);
}

}  // namespace
}  // namespace dpcov::detail
