// Correlations that are told as less where noise may have made them.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdint>
#include <random>

#include "derive/correlation_matrix.hpp"
#include "derive/noisy_covariance.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "known_tables.hpp"

namespace dpcov {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Normals;
using test::released;
using test::Truth;

constexpr double noise = 1e-3;

// Five columns with correlations of 1/2 and variances of 1000 deviations of the noise, but for the
// last, whose variance has so many.
Truth with_one_small_variance(double deviations) {
    constexpr Index d = 5;
    VectorXd scales = VectorXd::Ones(d);
    scales[d - 1] = std::sqrt(deviations * noise);
    Truth truth;
    truth.covariance = MatrixXd::Constant(d, d, 0.5);
    truth.covariance.diagonal().setOnes();
    truth.covariance = scales.asDiagonal() * truth.covariance * scales.asDiagonal();
    truth.mean = VectorXd::Zero(d);
    truth.units = VectorXd::Ones(d);
    return truth;
}

// The noisy sum itself is what is told, and it happens to be right.
Release unshrunk(const Truth& truth) {
    Normals normals(31);
    Release release = released(truth, NoiseShape::gaussian, noise, normals);
    release.covariance = truth.covariance;
    release.statistics.strata.front().second_moment = truth.covariance;
    return release;
}

TEST(ShrunkCorrelations, AreSmallWhereAVarianceMayBeNoise) {
    const MatrixXd clear = correlation_matrix(unshrunk(with_one_small_variance(1000.0)));
    EXPECT_NEAR(clear(0, 1), 0.5, 1e-4);
    EXPECT_NEAR(clear(0, 4), 0.5, 1e-4);
    const MatrixXd at_half = correlation_matrix(unshrunk(with_one_small_variance(2.0)));
    EXPECT_NEAR(at_half(0, 4), 0.25, 0.01);
    EXPECT_NEAR(at_half(0, 1), 0.5, 1e-3) << "other columns' are as they were";
    const MatrixXd hidden = correlation_matrix(unshrunk(with_one_small_variance(0.5)));
    EXPECT_LT(hidden(0, 4), 0.01);
    EXPECT_EQ(hidden, derive_correlation(unshrunk(with_one_small_variance(0.5))).matrix);
}

// A column without any correlation, whose variance is plain, has what noise made of it shrunk.
TEST(ShrunkCorrelations, AreSmallWhereTheRowMayBeNoise) {
    Truth truth = with_one_small_variance(20.0);
    truth.covariance.row(4).head(4).setConstant(noise * 0.1);
    truth.covariance.col(4).head(4).setConstant(noise * 0.1);
    const MatrixXd correlation = correlation_matrix(unshrunk(truth));
    const double by_itself = detail::correlation_of(truth.covariance)(0, 4);
    EXPECT_GT(correlation(0, 4), 0.0);
    EXPECT_LT(correlation(0, 4), 0.2 * by_itself);
    EXPECT_NEAR(correlation(0, 1), 0.5, 1e-3);
}

// An estimate that is off the noisy sum by all of its noise knows better than that.
TEST(ShrunkCorrelations, AreAsTheyWereWhereTheEstimateHasNoNoiseLeft) {
    Release release = unshrunk(with_one_small_variance(2.0));
    Normals normals(32);
    release.statistics.strata.front().second_moment +=
        1.5 * normals.noise(NoiseShape::gaussian, 5, noise, 0);
    EXPECT_EQ(correlation_matrix(release), detail::correlation_of(release.covariance));
}

// Steps 1 to 3 of docs/deriving.md#shrunk-correlations, for a second moment with noise of deviation
// s.
MatrixXd by_the_steps(const MatrixXd& told, const MatrixXd& seen, double s = noise) {
    const Index d = told.rows();
    double difference = 0.0;
    double of_noise = 0.0;
    const auto variance = [s](Index i, Index j) { return i == j ? s * s : s * s / 2; };
    for (Index j = 0; j < d; ++j) {
        for (Index i = 0; i <= j; ++i) {
            difference += std::pow(told(i, j) - seen(i, j), 2);
            of_noise += variance(i, j);
        }
    }
    const double pairs = 0.5 * static_cast<double>(d * (d + 1));
    const double w = 1.0 - std::sqrt(difference / of_noise * (1.0 + 2.0 * std::sqrt(2.0 / pairs)));
    EXPECT_GT(w, 0.1);
    EXPECT_LT(w, 0.9);
    VectorXd g(d);
    for (Index i = 0; i < d; ++i) {
        g[i] = 1.0 / (1.0 + std::pow(2.0 * w * s / told(i, i), 4));
    }
    VectorXd f(d);
    for (Index i = 0; i < d; ++i) {
        double squares = 0.0;
        double of_row = 0.0;
        for (Index j = 0; j < d; ++j) {
            if (j != i) {
                const double factor = std::pow(g[i] * g[j], 2) / (told(i, i) * told(j, j));
                squares += std::pow(told(i, j), 2) * factor;
                of_row += w * w * variance(i, j) * factor;
            }
        }
        f[i] = g[i] * squares / (squares + 0.5 * of_row);
    }
    MatrixXd matrix = f.asDiagonal() * detail::correlation_of(told) * f.asDiagonal();
    matrix.diagonal().setOnes();
    return matrix;
}

// One of the columns varies by four deviations of its noise, and goes with the others little.
TEST(ShrunkCorrelations, AreByTheSteps) {
    Truth truth = with_one_small_variance(4.0);
    truth.covariance.row(4).head(4) *= 0.02;
    truth.covariance.col(4).head(4) *= 0.02;
    Release release = unshrunk(truth);
    Normals normals(35);
    const MatrixXd seen = truth.covariance + 0.3 * normals.noise(NoiseShape::gaussian, 5, noise, 0);
    release.statistics.strata.front().second_moment = seen;
    const MatrixXd expected = by_the_steps(truth.covariance, seen);
    EXPECT_LT(expected(0, 4), 0.9 * detail::correlation_of(truth.covariance)(0, 4));
    EXPECT_TRUE(correlation_matrix(release).isApprox(expected, 1e-9));
}

// What the weighed sum may lack of a second stratum is no noise in it.
TEST(ShrunkCorrelations, AreShrunkByNoiseAlone) {
    Release release = unshrunk(with_one_small_variance(1000.0));
    NoisyMoment& first = release.statistics.strata.front();
    first.second_moment = VectorXd::LinSpaced(5, 0.2, 0.02).asDiagonal();
    first.second_moment(0, 1) = first.second_moment(1, 0) = 0.02;
    NoisyMoment second = first;
    second.second_moment = 1.2 * first.second_moment.reverse();
    second.noise_scale = 32.0 * noise;
    release.statistics.strata.push_back(second);
    const auto weighed = detail::weighed_covariance(release);
    ASSERT_TRUE(weighed);
    EXPECT_GT(weighed->lacking_variance, 0.1 * weighed->noise_variance);
    const double s = std::sqrt(weighed->noise_variance - weighed->lacking_variance);
    Normals normals(36);
    release.covariance = weighed->matrix + 0.3 * normals.noise(NoiseShape::gaussian, 5, s, 0);
    EXPECT_TRUE(correlation_matrix(release).isApprox(
        by_the_steps(release.covariance, weighed->matrix, s), 1e-9));
}

TEST(ShrunkCorrelations, AreAValidMatrixInWhateverUnits) {
    for (const bool centered : {false, true}) {
        Normals normals(33);
        const Truth truth = test::truth_of(8, centered, normals);
        Release release = released(truth, NoiseShape::wishart, 0.01, normals);
        release.covariance = 0.5 * (truth.covariance + release.covariance);
        const MatrixXd correlation = correlation_matrix(release);
        EXPECT_NE(correlation, detail::correlation_of(release.covariance));
        EXPECT_EQ(correlation.diagonal(), VectorXd::Ones(8));
        EXPECT_EQ(correlation, correlation.transpose());
        EXPECT_GT(correlation.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0.0);
        EXPECT_TRUE((correlation.array().abs() <=
                     detail::correlation_of(release.covariance).array().abs() + 1e-12)
                        .all());
        EXPECT_TRUE(correlation_matrix(in_table_units(release)).isApprox(correlation, 1e-12));
    }
}

// Of a diagnosis that four rows in a thousand have. Seeds are fixed, nothing is left to chance.
TEST(ShrunkCorrelations, OfRareOnesErrLess) {
    std::mt19937_64 generator(34);
    std::uniform_real_distribution<double> uniform;
    constexpr Index d = 12;
    MatrixXd rows(8000, d);
    for (Index i = 0; i < rows.rows(); ++i) {
        const double risk = uniform(generator) < 0.3 ? 2.0 : 0.6;
        for (Index j = 0; j < d; ++j) {
            rows(i, j) = uniform(generator) < risk * (j == 0 ? 0.004 : 0.2) ? 1.0 : 0.0;
        }
    }
    const MatrixXd about = rows.rowwise() - rows.colwise().mean();
    const MatrixXd truth = detail::correlation_of(about.transpose() * about);
    SecondMoment moment(
        {.schema = Schema(d, Column{.bounds = ColumnBounds{.lower = 0.0, .upper = 1.0}})});
    moment.add(rows);
    double error = 0.0;
    double by_covariance = 0.0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Release drawn = release(
            moment, Rho(0.1), {.center = true, .keep_statistics = true, .insecure_seed = seed});
        error += (correlation_matrix(drawn) - truth).squaredNorm();
        by_covariance += (detail::correlation_of(drawn.covariance) - truth).squaredNorm();
    }
    EXPECT_LT(error, 0.7 * by_covariance);
}

}  // namespace
}  // namespace dpcov
