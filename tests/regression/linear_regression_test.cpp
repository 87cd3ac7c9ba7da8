#include "regression/linear_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "estimate/matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The error of predictions over that of predicting zero, where x has the covariance A, y the
// variance 1, and a noise of deviation s hides them, and one of variance v the features' means;
// averaged over releases.
double relative_error(const MatrixXd& a, const VectorXd& w, double s, double v = 0.0) {
    const Index p = w.size();
    const VectorXd b = a * w;
    double sum = 0.0;
    constexpr int runs = 400;
    for (unsigned run = 0; run < runs; ++run) {
        std::mt19937_64 generator(run);
        const MatrixXd noise = test::noise_of(NoiseShape::gaussian, p + 1, s, generator);
        const VectorXd told = posterior_coefficients({.features = a + noise.topLeftCorner(p, p),
                                                      .cross = b + noise.col(p).head(p),
                                                      .target = 1.0 + noise(p, p),
                                                      .noise_variance = s * s,
                                                      .cross_noise_variance = 0.5 * s * s,
                                                      .rows = 1e4,
                                                      .mean_noise_variance = v});
        sum += 1.0 - 2.0 * told.dot(b) + told.dot(a * told) + v * told.squaredNorm();
    }
    return sum / runs;
}

// Every eigenvalue of A is below the noise's edge of 4.9 s; b is as long as its noise. Expected is
// 0.726, with a standard error of 0.008; with the noisy eigenvalues taken for A's it is 0.827.
TEST(LinearRegression, PredictsFromFeaturesThatNoiseHides) {
    constexpr double s = 0.4;
    const MatrixXd a = MatrixXd::Identity(12, 12);
    const VectorXd w = VectorXd::Constant(12, std::sqrt(0.9 / 12.0));
    EXPECT_LT(relative_error(a, w, s), 0.75);
}

// What explains the target varies a hundredth of what the other features do. Expected is 0.185,
// with a prior in which all directions matter alike for w alone 0.539.
TEST(LinearRegression, PredictsFromAFeatureThatVariesLittle) {
    VectorXd variances = VectorXd::Constant(6, 2.0);
    variances[5] = 0.02;
    VectorXd w = VectorXd::Zero(6);
    w[5] = std::sqrt(0.9 / variances[5]);
    EXPECT_LT(relative_error(variances.asDiagonal(), w, 0.01), 0.25);
}

// Half of a hundredth is explained, by twelve features of which each is as clear as twice its
// noise. Expected is 0.9973; with no R^2 fainter than 1/12 to choose from, 0.9997.
TEST(LinearRegression, PredictsWhatIsFaintAndClear) {
    const MatrixXd a = MatrixXd::Identity(12, 12);
    const VectorXd w = VectorXd::Constant(12, std::sqrt(0.005 / 12.0));
    EXPECT_LT(relative_error(a, w, 0.015), 0.9975);
}

// One direction varies much, y goes with it, and the noisy eigenvectors hardly show it. Expected is
// 1.08; if what is seen along w is not heeded, 6.2.
TEST(LinearRegression, IsHardlyTooLongAlongWhatVariesUnseen) {
    VectorXd variances = VectorXd::Constant(31, 0.001);
    variances[0] = 0.12;
    VectorXd w = VectorXd::Zero(31);
    w[0] = std::sqrt(0.9 / variances[0]);
    EXPECT_LT(relative_error(variances.asDiagonal(), w, 0.02), 1.3);
}

// Bounds are so wide that the noise of a mean is more than its column varies. Expected is 0.999; if
// that noise is not heeded, as about zero, 1.04.
TEST(LinearRegression, HardlyErrsMoreThanZeroWhereNoiseHidesMeans) {
    const MatrixXd a = MatrixXd::Identity(5, 5);
    const VectorXd w = VectorXd::Constant(5, std::sqrt(0.9 / 5.0));
    EXPECT_LT(relative_error(a, w, 3.0, 9.0), 1.02);
}

TEST(LinearRegression, HardlyErrsMoreThanZeroWhereNothingIsExplained) {
    const MatrixXd a = MatrixXd::Identity(12, 12);
    for (const double s : {0.1, 0.7, 3.0}) {
        EXPECT_LT(relative_error(a, VectorXd::Zero(12), s), 1.02) << s;
    }
}

// Bounds three times too wide: the target and the one feature that it goes with vary less than
// their noise, but all their values are near one end of the bounds, and nearly the same. Expected
// is 0.43 of the error of the mean; without the means 0.66.
TEST(LinearRegression, LearnsFromMeansWhatNoiseHides) {
    constexpr double s = 0.002;
    constexpr int runs = 200;
    const MatrixXd a = Eigen::Vector3d(0.2, 0.1, 0.004).asDiagonal();
    const Eigen::Vector3d w(0.0, 0.0, 1.0);
    const Eigen::Vector4d means(-0.5, 0.4, -0.8, -0.8);
    const auto relative_error = [&](const VectorXd& told_means) {
        double error = 0.0;
        for (unsigned run = 0; run < runs; ++run) {
            std::mt19937_64 generator(run);
            const MatrixXd noise = test::noise_of(NoiseShape::gaussian, 4, s, generator);
            const VectorXd told = posterior_coefficients({.features = a + noise.topLeftCorner(3, 3),
                                                          .cross = a * w + noise.col(3).head(3),
                                                          .target = 0.004 + noise(3, 3),
                                                          .noise_variance = s * s,
                                                          .cross_noise_variance = 0.5 * s * s,
                                                          .rows = 1e4,
                                                          .mean_noise_variance = s * s,
                                                          .means = told_means});
            error += (told - w).dot(a * (told - w)) / 0.004;
        }
        return error / runs;
    };
    EXPECT_LT(relative_error(means), 0.55);
    EXPECT_GT(relative_error({}), 0.6);
}

// Means so far out of the bounds that no height of the line has a likelihood that is a number.
TEST(LinearRegression, IsANumberWhereMeansAreFarOutOfTheBounds) {
    const VectorXd told = posterior_coefficients({.features = MatrixXd::Constant(1, 1, 3000.0),
                                                  .cross = VectorXd::Constant(1, 5000.0),
                                                  .target = 9000.0,
                                                  .noise_variance = 1e6,
                                                  .cross_noise_variance = 5e5,
                                                  .rows = 2.0,
                                                  .mean_noise_variance = 0.013,
                                                  .means = Eigen::Vector2d(72.0, 125.0)});
    EXPECT_TRUE(told.allFinite());
}

// Where one direction is noisier its equation counts for less, but w is no shorter along it.
TEST(LinearRegression, IsThatOfTheTableWhicheverDirectionIsNoisier) {
    const MatrixXd a = (MatrixXd(3, 3) << 1.0, 0.3, 0.1, 0.3, 0.8, 0.2, 0.1, 0.2, 0.5).finished();
    const Eigen::Vector3d w(0.4, -0.2, 0.5);
    const double s = 1e-6;
    const VectorXd told = posterior_coefficients({.features = a,
                                                  .cross = a * w,
                                                  .target = w.dot(a * w) + 0.1,
                                                  .noise_variance = s * s,
                                                  .cross_noise_variance = 0.5 * s * s,
                                                  .rows = 1e12,
                                                  .noisier_direction = Eigen::Vector3d(0, 0.6, 0.8),
                                                  .evening_factor = 0.01,
                                                  .cross_noise_along = 5e3 * s * s});
    EXPECT_LT((told - w).norm(), 1e-3);
}

// Noise along one direction is ten times as great. Expected are 0.19 and, with noise taken to be
// alike, 0.43.
TEST(LinearRegression, HeedsThatOneDirectionIsNoisier) {
    constexpr Index p = 6;
    constexpr double s = 0.1;
    constexpr double f = 0.1;
    constexpr int runs = 200;
    const VectorXd u = VectorXd::Constant(p, 1.0 / std::sqrt(static_cast<double>(p)));
    const MatrixXd longer = MatrixXd::Identity(p, p) + (1.0 / f - 1.0) * u * u.transpose();
    const VectorXd w = VectorXd::LinSpaced(p, -0.6, 0.4);
    const double c = w.squaredNorm() + 0.1;
    const auto relative_error = [&](const VectorXd& direction) {
        double error = 0.0;
        for (unsigned run = 0; run < runs; ++run) {
            std::mt19937_64 generator(run);
            const MatrixXd noise = test::noise_of(NoiseShape::gaussian, p + 1, s, generator);
            const VectorXd told = posterior_coefficients(
                {.features = MatrixXd::Identity(p, p) + longer * noise.topLeftCorner(p, p) * longer,
                 .cross = w + longer * noise.col(p).head(p),
                 .target = c + noise(p, p),
                 .noise_variance = s * s,
                 .cross_noise_variance = 0.5 * s * s,
                 .rows = 1e4,
                 .noisier_direction = direction,
                 .evening_factor = direction.size() > 0 ? f : 1.0,
                 .cross_noise_along = 0.5 * s * s / (f * f)});
            error += ((told - w).squaredNorm() + 0.1) / c;
        }
        return error / runs;
    };
    EXPECT_LT(relative_error(u), 0.3);
    EXPECT_GT(relative_error({}), 0.35);
}

// Features vary most along a line at 45 degrees to their mean, and the target goes with what varies
// little. Noise of the number of rows is in b along the mean, but of A in no entry across it.
// Expected are 0.112 and, with A taken to be as noisy along the mean as b, 0.274.
TEST(LinearRegression, KnowsFeaturesBetterThanTheirProductsWithTheTarget) {
    constexpr Index p = 12;
    constexpr double s = 0.005;
    constexpr double more = 10.0;  // times the deviation of b's noise, along the mean
    constexpr int runs = 200;
    const VectorXd u = VectorXd::Constant(p, 1.0 / std::sqrt(static_cast<double>(p)));
    VectorXd across = VectorXd::Zero(p);
    across.head(2) << 1.0, -1.0;
    const VectorXd most = (u + across.normalized()).normalized();
    const MatrixXd a = MatrixXd(2.0 * most * most.transpose()) + 0.1 * MatrixXd::Identity(p, p);
    VectorXd w = VectorXd::LinSpaced(p, -0.3, 1.0);
    w -= most.dot(w) * most;
    w *= std::sqrt(0.9 / w.dot(a * w));
    const auto relative_error = [&](double f) {
        double error = 0.0;
        for (unsigned run = 0; run < runs; ++run) {
            std::mt19937_64 generator(run);
            const MatrixXd noise = test::noise_of(NoiseShape::gaussian, p + 1, s, generator);
            const VectorXd of_b = noise.col(p).head(p);
            const VectorXd told =
                posterior_coefficients({.features = a + noise.topLeftCorner(p, p),
                                        .cross = a * w + of_b + (more - 1.0) * u.dot(of_b) * u,
                                        .target = 1.0 + noise(p, p),
                                        .noise_variance = s * s,
                                        .cross_noise_variance = 0.5 * s * s,
                                        .rows = 1e4,
                                        .noisier_direction = u,
                                        .evening_factor = f,
                                        .cross_noise_along = 0.5 * more * more * s * s});
            error += ((told - w).dot(a * (told - w)) + 0.1) / runs;
        }
        return error;
    };
    EXPECT_LT(relative_error(1.0), 0.15);
    EXPECT_GT(relative_error(1.0 / more), 0.22);
}

TEST(LinearRegression, IsThatOfTheTableWhereNoiseIsSmall) {
    const MatrixXd a = VectorXd::LinSpaced(6, 0.2, 2.0).asDiagonal();
    const VectorXd w = VectorXd::Constant(6, 0.35);
    EXPECT_NEAR(relative_error(a, w, 1e-4), 1.0 - w.dot(a * w), 1e-6);
}

// Two features that nearly determine each other, and the target: their difference varies little, is
// plain to see, and explains half of what is left. By how much more the coefficients err than those
// of least squares, over what these leave. Control: noise that hides it.
TEST(LinearRegression, IsThatOfTheTableAlongDirectionsThatVaryLittle) {
    VectorXd variances = VectorXd::Constant(9, 0.01);
    variances[0] = 1.0;
    variances[8] = 1e-5;
    const VectorXd b = variances.cwiseProduct(
        (VectorXd(9) << 0.99, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 10.0).finished());
    const VectorXd w = b.cwiseQuotient(variances);
    const double left = 1e-3;
    const auto excess = [&](double noise_variance) {
        const VectorXd error = posterior_coefficients({.features = variances.asDiagonal(),
                                                       .cross = b,
                                                       .target = w.dot(b) + left,
                                                       .noise_variance = noise_variance,
                                                       .cross_noise_variance = 0.5 * noise_variance,
                                                       .rows = 500.0}) -
                               w;
        return error.dot(variances.cwiseProduct(error)) / left;
    };
    EXPECT_LT(excess(1e-20), 0.002);
    EXPECT_GT(excess(1e-10), 0.2);
}

}  // namespace
}  // namespace dpcov::detail
