// The projection mechanism: what it releases and its estimated error.
#include "mechanism/projection_cov.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/risk.hpp"
#include "mechanism/gauss_cov.hpp"
#include "support/decompositions.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

// max(0, l - shift) with the shift found by halving.
Eigen::VectorXd projected(const Eigen::VectorXd& values, double bound) {
    double low = 0.0;
    double high = std::max(0.0, values.maxCoeff());
    if (values.cwiseMax(0.0).sum() <= bound) return values.cwiseMax(0.0);
    for (int step = 0; step < 200; ++step) {
        const double shift = 0.5 * (low + high);
        ((values.array() - shift).cwiseMax(0.0).sum() > bound ? low : high) = shift;
    }
    return (values.array() - high).cwiseMax(0.0);
}

TEST(ProjectionCov, IsGaussCovProjectedToBoundedTrace) {
    const double bound = 2.0;
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 12, 1.9, 13), 12, bound);
    for (const double rho : {0.01, 100.0}) {
        for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
            for (const std::uint64_t seed : {14U, 15U}) {
                SeededRandomSource random(seed);
                const NoiseLaw law =
                    variant == Variant::best ? NoiseLaw::isotropic : NoiseLaw::wigner;
                const Eigen::MatrixXd noisy =
                    detail::noisy_second_moment(detail::counted_openly(moment), 0, Rho(rho), law,
                                                random)
                        .matrix;
                const EigenPairs eigen = eigen_pairs(noisy);
                const Eigen::MatrixXd expected =
                    eigen.vectors * projected(eigen.values, bound * bound).asDiagonal() *
                    eigen.vectors.transpose();
                const Eigen::MatrixXd released =
                    run("projection", moment, rho, variant, seed).covariance;
                EXPECT_LT((released - expected).norm(), 1e-11 * noisy.norm());
                EXPECT_LE(released.trace(), bound * bound + 1e-11);
                EXPECT_GE(spectrum(released).minCoeff(), -1e-12);
                // Control: the clamp alone leaves a greater trace at this noise.
                if (rho < 1.0) {
                    EXPECT_GT(eigen.values.cwiseMax(0.0).cwiseMin(bound * bound).sum(),
                              bound * bound + 1.0);
                }
            }
        }
    }
}

// The trace always binds here. The mean of the estimate over 4000 runs against that of the squared
// error, as a z-score: false alarm 1e-6. Control: without the term for the shared shift.
TEST(ProjectionCov, EstimatedErrorIsTheErrorOnAverage) {
    constexpr std::size_t d = 3;
    constexpr double rho = 0.5;
    const Rows rows = sphere_rows(40, d, 1.0, 19, 0.8);
    const detail::SecretMoment moment = moment_of(rows, d);
    const Eigen::MatrixXd truth = covariance_of(rows, d);
    const double s = noise_scale(1.0, rho, 40);
    constexpr int runs = 4000;
    double sum = 0.0;
    double squares = 0.0;
    int binding = 0;
    SeededRandomSource random(20);
    for (int i = 0; i < runs; ++i) {
        const auto estimate = detail::projection_estimate(detail::counted_openly(moment), Rho(rho),
                                                          Variant::best, random);
        const double difference =
            estimate.estimated_squared_error.value() - (estimate.covariance - truth).squaredNorm();
        sum += difference;
        squares += difference * difference;
        binding += estimate.covariance.trace() > 1.0 - 1e-12 ? 1 : 0;
    }
    const double mean = sum / runs;
    const double error = std::sqrt((squares / runs - mean * mean) / runs);
    EXPECT_LT(std::abs(mean) / error, 4.892);
    const double lost = 2.0 * s * s * binding / runs;
    EXPECT_GT(std::abs(mean + lost) / error, 4.892);
    EXPECT_GT(binding, runs / 4);
    EXPECT_FALSE(run("projection", moment, rho, Variant::paper, 1).estimated_frobenius_error);
}

// It projects onto a convex set that the truth lies in.
TEST(ProjectionCov, NeverErrsMoreThanTheNoisyMatrix) {
    const Rows rows = sphere_rows(100, 20, 1.0, 21, 0.8);
    const detail::SecretMoment moment = moment_of(rows, 20);
    const Eigen::MatrixXd truth = covariance_of(rows, 20);
    for (const double rho : {1e-4, 0.01, 1.0}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            EXPECT_LE(
                (run("projection", moment, rho, Variant::paper, seed).covariance - truth).norm(),
                (run("gauss", moment, rho, Variant::paper, seed).covariance - truth).norm());
        }
    }
}

TEST(ProjectionCov, SpendsAllOnOneStage) {
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 3, 1.0, 17), 3);
    const Release release = run("projection", moment, 0.1, Variant::best, 18);
    ASSERT_EQ(release.stages.size(), 1U);
    EXPECT_EQ(spent(release), 0.1);
}

}  // namespace
}  // namespace dpcov::test
