// When floats are enough for a noisy spectrum, and that they err by no more than is assumed.
#include "estimate/precision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "arithmetic/eigenbasis.hpp"
#include "dpcov/statistics.hpp"
#include "estimate/covariance_estimate.hpp"
#include "estimate/risk.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double noise_norm(Index d) {
    return std::sqrt(degrees_of_freedom(d));
}

// Noise of scale one, and a matrix of rank four that is `times` as long.
MatrixXd noise_and_signal(Index d, double times) {
    std::mt19937_64 generator(static_cast<std::uint64_t>(d));
    VectorXd spectrum = VectorXd::Zero(d);
    spectrum.tail(4) << 1.0, 2.0, 3.0, 8.0;
    return test::isotropic_noise(d, 1.0, generator) +
           times * noise_norm(d) / spectrum.norm() * test::with_spectrum(spectrum, generator);
}

TEST(Precision, IsSingleUnderNoise) {
    EXPECT_EQ(enough_precision(noise_and_signal(128, 10.0), noise_norm(128)), Precision::single);
}

// As narrow ones are, whatever the noise: their releases stay what they were.
TEST(Precision, IsFullInNarrowMatrices) {
    EXPECT_EQ(enough_precision(noise_and_signal(127, 10.0), noise_norm(127)), Precision::full);
}

// So many rows that noise is a millionth: its scale is one, the matrix a million times as long.
TEST(Precision, IsFullWhereThereIsLittleNoise) {
    EXPECT_EQ(enough_precision(noise_and_signal(128, 1e6), noise_norm(128)), Precision::full);
    const MatrixXd matrix = noise_and_signal(128, 10.0);
    for (const double error : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_EQ(enough_precision(matrix, error), Precision::full);
    }
}

// The bound is a fitted one: no more than it, and no less than a hundredth, so that it is about
// what it says. Control: in doubles the error is nothing beside it.
TEST(Precision, FloatsErrByNoMoreThanIsAssumed) {
    for (const Index d : {128, 300}) {
        for (const double times : {0.0, 1.0, 30.0, 1000.0}) {
            const MatrixXd matrix = noise_and_signal(d, times);
            const double bound = single_precision_error(matrix);
            const auto error = [&](Precision precision) {
                const Eigenbasis basis(matrix, precision);
                return (basis.assembled(basis.values()) - matrix).norm();
            };
            EXPECT_LT(error(Precision::single), bound) << d << ", " << times;
            EXPECT_GT(error(Precision::single), bound / 100.0) << d << ", " << times;
            EXPECT_LT(error(Precision::full), 1e-6 * bound) << d << ", " << times;
        }
    }
}

// A whole estimate of one wide stratum, which takes floats: positive semidefinite, of trace at most
// one, within d 2^-53 sixteen times over; and as near to the truth as noise allows.
TEST(Precision, LeavesEstimatesInTheConeAndInTheBall) {
    constexpr Index d = 160;
    const MatrixXd truth = MatrixXd::Identity(d, d) / d;
    const double s = 0.1 / noise_norm(d);
    std::mt19937_64 generator(5);
    StrataEstimate estimate(d, 1.0, {.rows = 1e5});
    NoisyMoment stratum;
    stratum.second_moment = truth + test::isotropic_noise(d, s, generator);
    stratum.noise_scale = s;
    stratum.radius = 1.0;
    ASSERT_EQ(enough_precision(stratum.second_moment, s * noise_norm(d)), Precision::single);
    estimate.add(stratum);
    const CovarianceEstimate result = std::move(estimate).result();
    const double allowed = 16.0 * d * 0x1p-53;
    EXPECT_EQ(result.covariance, result.covariance.transpose());
    EXPECT_GT(eigenvalues(result.covariance).minCoeff(), -allowed);
    EXPECT_LT(result.covariance.trace(), 1.0 + allowed);
    EXPECT_LT((result.covariance - truth).norm(), 0.1);
}

}  // namespace
}  // namespace dpcov::detail
