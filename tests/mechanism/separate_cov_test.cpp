// SeparateCov: its formula, its noise and its error.
#include "mechanism/separate_cov.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanism/clipped_gram.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/sensitivity.hpp"
#include "random/statistics.hpp"
#include "support/decompositions.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

// The formula, on the same random words: the eigenvalues of the Gram with noise of deviation
// sqrt(2) tau^2 / (sqrt(rho) n), then GaussCov with rho / 2 for the eigenvectors.
Eigen::MatrixXd replay(const detail::SecretMoment& moment, const Eigen::MatrixXd& truth,
                       int clip_exponent, double rho, Variant variant, std::uint64_t seed) {
    const double tau = std::ldexp(moment.layout().norm_bound, -clip_exponent);
    const auto n = static_cast<double>(moment.rows());
    SeededRandomSource random(seed);
    // On a grid of 2^-25 deviations: as good as real numbers here.
    const GaussianNoise noise = gaussian_noise(0x1p60);
    Eigen::VectorXd values = spectrum(truth);
    for (double& value : values) {
        value += std::sqrt(2.0) * tau * tau / (std::sqrt(rho) * n) *
                 static_cast<double>(add_gaussian(random, 0, noise)) * 0x1p-60;
    }
    const NoiseLaw law = variant == Variant::best ? NoiseLaw::isotropic : NoiseLaw::wigner;
    const Eigen::MatrixXd noisy =
        detail::noisy_second_moment(detail::counted_openly(moment), clip_exponent, Rho(rho / 2.0),
                                    law, random)
            .matrix;
    const Eigen::MatrixXd basis = eigen_pairs(noisy).vectors;
    if (variant != Variant::paper) {
        values = values.cwiseMax(0.0).cwiseMin(tau * tau);
    }
    if (variant == Variant::best) {
        std::sort(values.begin(), values.end());
    }
    return basis * values.asDiagonal() * basis.transpose();
}

TEST(SeparateCov, IsItsFormula) {
    const double bound = 3.0;
    const Rows rows = sphere_rows(150, 8, 2.0, 1, 0.7);
    const detail::SecretMoment moment = moment_of(rows, 8, bound);
    for (const int clip_exponent : {0, 1}) {
        const double tau = std::ldexp(bound, -clip_exponent);
        const Eigen::MatrixXd truth = covariance_of(clipped(rows, 8, tau), 8);
        for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
            for (const double rho : {0.002, 0.5}) {
                for (const std::uint64_t seed : {200U, 201U, 202U}) {
                    SeededRandomSource random(seed);
                    const Eigen::MatrixXd released =
                        detail::separate_estimate<Rho>(
                            detail::counted_openly(moment), clip_exponent,
                            {Rho(rho).share(1, 1), Rho(rho).share(1, 1)}, variant, random)
                            .covariance;
                    const Eigen::MatrixXd expected =
                        replay(moment, truth, clip_exponent, rho, variant, seed);
                    // Rows on the grid differ from rows in doubles by 2^-20 of the bound.
                    EXPECT_LT((released - expected).norm(), 1e-5 * tau * tau) << seed;
                    // Control: the formula of another variant.
                    const Variant other =
                        variant == Variant::best ? Variant::published : Variant::best;
                    EXPECT_GT(
                        (released - replay(moment, truth, clip_exponent, rho, other, seed)).norm(),
                        1e-3 * noise_scale(tau, rho, 150))
                        << seed;
                }
            }
        }
    }
}

// Eigenvalues 0.4, 0.3, 0.2, 0.1 with gaps of many deviations, so that each noisy one is known.
// False alarm: 1e-6.
TEST(SeparateCov, EigenvalueNoiseHasItsDeviation) {
    Rows rows;
    for (std::size_t i = 0; i < 1000; ++i) {
        const std::size_t column = i % 10 < 4 ? 0 : i % 10 < 7 ? 1 : i % 10 < 9 ? 2 : 3;
        for (std::size_t j = 0; j < 4; ++j) rows.push_back(j == column ? 1.0 : 0.0);
    }
    const detail::SecretMoment moment = moment_of(rows, 4);
    const double rho = 0.1;
    const double deviation = std::sqrt(2.0) * noise_scale(1.0, rho, 1000);
    constexpr int runs = 5000;
    Eigen::Vector4d squares = Eigen::Vector4d::Zero();
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    SeededRandomSource random(210);
    for (int i = 0; i < runs; ++i) {
        const auto estimate = detail::separate_estimate<Rho>(
            detail::counted_openly(moment), 0, {Rho(rho).share(1, 1), Rho(rho).share(1, 1)},
            Variant::paper, random);
        const Eigen::Vector4d z =
            (spectrum(estimate.covariance) - Eigen::Vector4d(0.1, 0.2, 0.3, 0.4)) / deviation;
        squares += z.cwiseAbs2();
        sum += z;
        EXPECT_NEAR(estimate.noisy_trace, estimate.covariance.trace(), 1e-12);
    }
    const auto p_value = [&](double variance) {
        double least = 1.0;
        for (int i = 0; i < 4; ++i) {
            const double above = chi_square_tail(squares[i] / variance, runs);
            least = std::min({least, two_sided_p_value(sum[i] / std::sqrt(runs * variance)),
                              2.0 * above, 2.0 * (1.0 - above)});
        }
        return 8.0 * least;
    };
    EXPECT_GT(p_value(1.0), false_alarm);
    EXPECT_LT(p_value(0.5), false_alarm);  // control: all of rho taken for the eigenvalues
}

// The noise on the eigenvalues covers what LAPACK errs by, which grows with the most rows that
// there may be, whatever the number that sums are divided by. Of rows of zeros what is released is
// the noise, here on the same words.
template <class Share>
void expect_noise_for_at_most(Share share) {
    constexpr std::size_t d = 4;
    constexpr double few = 1.0;
    constexpr double most = 0x1p48;
    const detail::SecretMoment moment = moment_of(Rows(d, 0.0), d);
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        SeededRandomSource random(212);
        const double released =
            detail::separate_estimate<Share>(
                {moment, neighbours, {.value = few, .deviation = 0.0, .at_most = most}}, 0,
                {share, share}, Variant::paper, random)
                .noisy_trace;
        const auto noise_for = [&](double rows) {
            SeededRandomSource again(212);
            std::vector<Int128> values(d, 0);
            detail::Noise<Share>(detail::eigenvalue_sensitivity(neighbours, d, rows), share)
                .add_to(values, again);
            return detail::vector_of(values, detail::lattice_unit(moment, 0)).sum();
        };
        EXPECT_NEAR(released, noise_for(most), 1e-12 * std::abs(released));
        EXPECT_GT(std::abs(released - noise_for(few)), 0.1 * std::abs(released)) << "the control";
    }
}

TEST(SeparateCov, EigenvalueNoiseIsForTheMostRowsThatThereMayBe) {
    expect_noise_for_at_most(Rho(0.1));
    expect_noise_for_at_most(Epsilon(0.1));
}

TEST(SeparateCov, SplitsTheBudgetInHalves) {
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 3, 1.0, 2), 3);
    const Release release = run("separate", moment, 0.1, Variant::best, 211);
    ASSERT_EQ(release.stages.size(), 2U);
    EXPECT_EQ(std::get<Rho>(release.stages[0].spent).value(), 0.05);
    EXPECT_EQ(std::get<Rho>(release.stages[1].spent).value(), 0.05);
}

TEST(SeparateCov, BestStaysBetweenZeroAndTheNormBound) {
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 12, 1.5, 3), 12, 2.0);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Eigen::VectorXd values =
            spectrum(run("separate", moment, 0.01, Variant::best, seed).covariance);
        EXPECT_GT(values.minCoeff(), -1e-12);
        EXPECT_LT(values.maxCoeff(), 4.0 + 1e-12);
        EXPECT_LT(
            spectrum(run("separate", moment, 0.01, Variant::paper, seed).covariance).minCoeff(),
            -0.1);
    }
}

double mean_error(std::string_view method, const detail::SecretMoment& moment, double rho,
                  Variant variant, const Eigen::MatrixXd& truth) {
    constexpr int runs = 10;
    double sum = 0.0;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        sum += (run(method, moment, rho, variant, seed).covariance - truth).norm();
    }
    return sum / runs;
}

// What SeparateCov is for: rows far below the norm bound, but for a few. The ratios of the mean
// errors are near 2.4 (paper) and 1.5 (best), deviations of one error a few per cent. Control: at a
// full trace and little noise it is the other way round.
TEST(SeparateCov, BeatsGaussCovWhereTheTraceIsSmall) {
    const Rows rows = sphere_rows(4900, 60, 0.125, 4, 0.95) + sphere_rows(100, 60, 1.0, 5, 0.95);
    const detail::SecretMoment moment = moment_of(rows, 60);
    const Eigen::MatrixXd truth = covariance_of(rows, 60);
    for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
        EXPECT_LT(mean_error("separate", moment, 0.1, variant, truth),
                  mean_error("gauss", moment, 0.1, variant, truth));
    }
    const Rows full = sphere_rows(5000, 10, 1.0, 6, 0.8);
    EXPECT_GT(
        mean_error("separate", moment_of(full, 10), 10.0, Variant::paper, covariance_of(full, 10)),
        mean_error("gauss", moment_of(full, 10), 10.0, Variant::paper, covariance_of(full, 10)));
}

// Root mean squares over 300 runs. Stein's estimate given the eigenvalues is unbiased; its
// deviation over 300 runs is about 2 % here.
TEST(SeparateCov, EstimatedErrorIsTheErrorOnAverage) {
    const Rows rows = sphere_rows(400, 20, 0.5, 7, 0.8);
    const detail::SecretMoment moment = moment_of(rows, 20);
    const Eigen::MatrixXd truth = covariance_of(rows, 20);
    double squares = 0.0;
    double estimated = 0.0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SeededRandomSource random(seed);
        const auto estimate = detail::separate_estimate<Rho>(
            detail::counted_openly(moment), 0, {Rho(0.05).share(1, 1), Rho(0.05).share(1, 1)},
            Variant::best, random);
        squares += (estimate.covariance - truth).squaredNorm();
        estimated += estimate.estimated_squared_error.value();
        const Release release = run("separate", moment, 0.05, Variant::best, seed);
        EXPECT_EQ(release.estimated_frobenius_error.value(),
                  std::sqrt(std::max(0.0, *estimate.estimated_squared_error)));
    }
    EXPECT_NEAR(std::sqrt(estimated / squares), 1.0, 0.1);
    EXPECT_FALSE(run("separate", moment, 0.05, Variant::paper, 1).estimated_frobenius_error);
}

}  // namespace
}  // namespace dpcov::test
