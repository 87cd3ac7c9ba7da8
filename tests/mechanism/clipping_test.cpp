// clip-gauss, clip-laplace, clip-separate: the same mechanisms on rows clipped to a public norm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpcov/error.hpp"
#include "support/decompositions.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

// Noise below 10^-12 of tau^2.
constexpr double hardly_any_noise = 1e24;

ReleaseOptions clip_to(double norm, Variant variant = Variant::best) {
    ReleaseOptions options;
    options.variant = variant;
    options.clip = norm;
    return options;
}

Rows rows_of_many_norms() {
    Rows rows = sphere_rows(20, 4, 3.0, 1);
    for (const double norm : {1.5, 1.0, 0.74, 0.2, 0.01, 1e-7}) {
        rows = rows + sphere_rows(20, 4, norm, static_cast<std::uint64_t>(1000 * norm) + 2);
    }
    return rows;
}

TEST(Clipping, ReleasesTheCovarianceOfTheClippedRows) {
    const Rows rows = rows_of_many_norms();
    const detail::SecretMoment moment = moment_of(rows, 4, 3.0);
    for (const char* method : {"clip-gauss", "clip-laplace", "clip-separate"}) {
        for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
            for (const int t : {0, 1, 2, 5, 20, 39}) {
                const double tau = std::ldexp(3.0, -t);
                const Release release =
                    run(method, moment, hardly_any_noise, clip_to(tau, variant), 230);
                EXPECT_EQ(release.threshold, tau);
                EXPECT_EQ(release.method, method);
                const Eigen::MatrixXd truth = covariance_of(clipped(rows, 4, tau), 4);
                // Each row is within sqrt(d) / 2 grid steps of 2^-20 tau.
                EXPECT_LT((release.covariance - truth).norm(), 0x1p-19 * tau * tau) << method << t;
                // Control: the next threshold down, which clips more.
                const Eigen::MatrixXd next = covariance_of(clipped(rows, 4, tau / 2.0), 4);
                EXPECT_GT((release.covariance - next).norm(), 1e-2 * tau * tau) << method << t;
            }
        }
    }
}

TEST(Clipping, EqualsAMomentMadeWithThatNormBound) {
    const Rows rows = rows_of_many_norms();
    for (const int t : {0, 1, 3}) {
        const double tau = std::ldexp(3.0, -t);
        const detail::SecretMoment from_directions = moment_of(rows, 4, 3.0);
        const detail::SecretMoment clipped_at_once = moment_of(rows, 4, tau, false);
        for (const char* method : {"clip-gauss", "clip-laplace", "clip-separate"}) {
            const Eigen::MatrixXd a =
                run(method, from_directions, hardly_any_noise, clip_to(tau), 231).covariance;
            const Eigen::MatrixXd b =
                run(method, clipped_at_once, hardly_any_noise, clip_to(tau), 231).covariance;
            EXPECT_LT((a - b).norm(), 0x1p-19 * tau * tau) << method << t;
        }
        // At a budget with noise the same words give the same noise on either.
        const Eigen::MatrixXd a =
            run("clip-gauss", from_directions, 0.1, clip_to(tau), 232).covariance;
        const Eigen::MatrixXd b =
            run("clip-gauss", clipped_at_once, 0.1, clip_to(tau), 232).covariance;
        EXPECT_LT((a - b).norm(), 0x1p-19 * tau * tau);
    }
}

TEST(Clipping, AtTheNormBoundIsTheMethodItself) {
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(), 4, 3.0, false);
    EXPECT_EQ(run("clip-gauss", moment, 0.1, clip_to(3.0), 233).covariance,
              run("gauss", moment, 0.1, Variant::best, 233).covariance);
    EXPECT_EQ(run("clip-laplace", moment, 0.1, clip_to(3.0), 233).covariance,
              run("laplace", moment, 0.1, Variant::best, 233).covariance);
    EXPECT_EQ(run("clip-separate", moment, 0.1, clip_to(3.0), 233).covariance,
              run("separate", moment, 0.1, Variant::best, 233).covariance);
}

TEST(Clipping, RefusesNormsThatTheMomentCannotBeClippedTo) {
    const detail::SecretMoment with = moment_of(rows_of_many_norms(), 4, 3.0);
    const detail::SecretMoment without = moment_of(rows_of_many_norms(), 4, 3.0, false);
    for (const char* method : {"clip-gauss", "clip-laplace", "clip-separate"}) {
        for (const double norm :
             {1.0, 2.0, 6.0, 3.0 * (1 - 1e-15), 0.0, -1.5, 1e300, std::ldexp(3.0, -40),
              std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            EXPECT_THROW((void)run(method, with, 1.0, clip_to(norm), 234), UsageError) << norm;
        }
        EXPECT_NO_THROW((void)run(method, with, 1.0, clip_to(1.5), 234));
        EXPECT_THROW((void)run(method, without, 1.0, clip_to(1.5), 234), UsageError);
        EXPECT_THROW((void)run(method, with, 1.0, ReleaseOptions{}, 234), UsageError);
    }
    for (const char* method : {"gauss", "separate", "adaptive", "auto", "zero"}) {
        EXPECT_THROW((void)run(method, with, 1.0, clip_to(1.5), 234), UsageError) << method;
    }
}

// Noise far above the data: both ends of the clamp are at work, and the upper one is tau^2.
TEST(Clipping, ClampsToTheClippingNorm) {
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(), 4, 3.0);
    for (const char* method : {"clip-gauss", "clip-separate"}) {
        for (const Variant variant : {Variant::published, Variant::best}) {
            double largest = 0.0;
            for (std::uint64_t seed = 0; seed < 20; ++seed) {
                largest = std::max(
                    largest,
                    spectrum(run(method, moment, 1e-5, clip_to(1.5, variant), seed).covariance)
                        .maxCoeff());
            }
            EXPECT_NEAR(largest, 2.25, 1e-12) << method;
        }
    }
}

// Clipping errs by an amount that nobody has measured, so no estimated error is given.
TEST(Clipping, GivesNoEstimatedError) {
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(), 4, 3.0);
    for (const char* method : {"clip-gauss", "clip-laplace", "clip-separate"}) {
        EXPECT_FALSE(run(method, moment, 1.0, clip_to(1.5), 235).estimated_frobenius_error);
    }
}

}  // namespace
}  // namespace dpcov::test
