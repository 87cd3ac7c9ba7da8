// CoinPress: its formula, step by step, its noise and its account.
#include "mechanism/coinpress.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dpcov/error.hpp"
#include "estimate/simplex.hpp"
#include "mechanism/counted_moment.hpp"
#include "privacy/budget_meter.hpp"
#include "random/symmetric_noise.hpp"
#include "support/decompositions.hpp"
#include "support/failing_source.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double gamma_of(std::size_t d) {
    const auto order = static_cast<double>(d);
    return std::sqrt(order + 2.0 * std::sqrt(order * std::log(10.0)) + 2.0 * std::log(10.0));
}

// A symmetric matrix of standard noise of that law, from the same words as the mechanism's.
MatrixXd standard_noise(NoiseLaw law, std::size_t d, RandomSource& random) {
    std::vector<Int128> entries(d * (d + 1) / 2, 0);
    add_symmetric_gaussian(random, entries, symmetric_noise(law, 0x1p62));
    MatrixXd noise(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(d));
    std::size_t entry = 0;
    for (Eigen::Index j = 0; j < noise.cols(); ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            noise(i, j) = noise(j, i) = std::ldexp(static_cast<double>(entries[entry++]), -62);
        }
    }
    return noise;
}

MatrixXd spectral(const MatrixXd& symmetric, double (*function)(double)) {
    const EigenPairs eigen = eigen_pairs(symmetric);
    return eigen.vectors * eigen.values.unaryExpr(function).asDiagonal() *
           eigen.vectors.transpose();
}

// The algorithm in plain doubles, with inverses instead of square roots kept.
MatrixXd replay(const MatrixXd& sigma, std::size_t n, double bound, const std::vector<double>& rhos,
                Variant variant, std::uint64_t seed) {
    SeededRandomSource random(seed);
    const auto d = static_cast<std::size_t>(sigma.rows());
    const NoiseLaw law = variant == Variant::best ? NoiseLaw::isotropic : NoiseLaw::wigner;
    const double ratio = static_cast<double>(d) / static_cast<double>(n);
    const double eta = 0.5 * (2.0 * std::sqrt(ratio) + ratio);
    const MatrixXd one = MatrixXd::Identity(sigma.rows(), sigma.cols());
    MatrixXd a = one / bound;
    MatrixXd z;
    for (std::size_t step = 0; step < rhos.size(); ++step) {
        if (step > 0) {
            a = spectral(z + eta * one, [](double x) { return 1.0 / std::sqrt(x); }) * a;
        }
        const double length = bound * std::sqrt(spectrum(a.transpose() * a).maxCoeff());
        const double radius = variant == Variant::best ? length : std::max(length, gamma_of(d));
        const double s = radius * radius / (std::sqrt(rhos[step]) * static_cast<double>(n));
        z = a * sigma * a.transpose() + s * standard_noise(law, d, random);
        z = variant == Variant::published ? spectral(z, [](double x) { return std::abs(x); })
                                          : spectral(z, [](double x) { return std::max(x, 0.0); });
    }
    const MatrixXd undo = a.inverse();
    const MatrixXd estimate = undo * z * undo.transpose();
    if (variant != Variant::best) return estimate;
    const EigenPairs eigen = eigen_pairs(estimate);
    const VectorXd values = detail::project_onto_simplex(eigen.values, bound * bound).values;
    return eigen.vectors * values.asDiagonal() * eigen.vectors.transpose();
}

const std::vector<std::vector<double>> splits = {
    {1.0},
    {0.25, 0.75},
    {0.125, 0.125, 0.75},
    {1.0 / 12, 1.0 / 12, 1.0 / 12, 0.75},
    {1.0 / 16, 1.0 / 16, 1.0 / 16, 1.0 / 16, 0.75},
};

std::vector<double> split(int steps, double rho) {
    std::vector<double> parts = splits.at(static_cast<std::size_t>(steps) - 1);
    for (double& part : parts) part *= rho;
    return parts;
}

TEST(CoinPress, IsItsFormula) {
    const double bound = 3.0;
    constexpr std::size_t n = 400;
    const Rows rows = sphere_rows(n, 6, 2.5, 1, 0.7);
    const detail::SecretMoment moment = moment_of(rows, 6, bound);
    const MatrixXd truth = covariance_of(rows, 6);
    for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
        for (int steps = 1; steps <= 5; ++steps) {
            for (const double rho : {0.01, 0.5}) {
                ReleaseOptions options;
                options.variant = variant;
                options.steps = steps;
                const MatrixXd released = run("coinpress", moment, rho, options, 500).covariance;
                const auto distance = [&](double spent) {
                    const MatrixXd expected =
                        replay(truth, n, bound, split(steps, spent), variant, 500);
                    return (released - expected).norm() / expected.norm();
                };
                // The rows on their grid are off by 2^-20, and whitening magnifies that.
                EXPECT_LT(distance(rho), 1e-5) << steps << ' ' << rho;
                EXPECT_GT(distance(1.01 * rho), 1e-4) << steps << ' ' << rho;  // control
            }
        }
    }
}

// On rows of zeros one step of `published` releases the absolute value of its noise, whose squared
// Frobenius norm is gamma^4 / (rho n^2) times d squared normals of weight 1 and d (d - 1) / 2 of
// weight 2: mean d^2, variance 2 d + 8 d (d - 1) / 2. Over 100 runs, as a z-score: false alarm
// 1e-6. Control: noise for rows clipped to 5 % less.
TEST(CoinPress, PublishedNoiseIsForRowsOfLengthGamma) {
    constexpr std::size_t d = 30;
    constexpr std::size_t n = 50;
    const detail::SecretMoment moment = moment_of(Rows(n * d, 0.0), d);
    ReleaseOptions options;
    options.variant = Variant::published;
    options.steps = 1;
    double sum = 0.0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        sum += run("coinpress", moment, 0.3, options, seed).covariance.squaredNorm() / 100.0;
    }
    const double unit = std::pow(noise_scale(gamma_of(d), 0.3, n), 2);
    const double error = std::sqrt((2.0 * d + 4.0 * d * (d - 1)) / 100.0);
    EXPECT_LT(std::abs(sum / unit - d * d) / error, 4.892);
    EXPECT_GT(std::abs(sum / (unit * std::pow(0.95, 4)) - d * d) / error, 4.892);
}

// What one step of `published` releases of rows of zeros is the absolute value of its noise, whose
// deviation covers what doubles may err by, which grows with the most rows that there may be: with
// n where that is public, else with the bound that the noisy count gives. On the same words as
// standard noise, whose grid is 2^-24 of its deviation.
void expect_noise_covers_rounding(const detail::SecretMoment& moment, Neighbours neighbours,
                                  Rho rho) {
    const std::size_t d = moment.layout().columns;
    ReleaseOptions options;
    options.variant = Variant::published;
    options.neighbours = neighbours;
    options.steps = 1;
    const double released = run("coinpress", moment, rho.value(), options, 540).covariance.norm();

    SeededRandomSource random(540);
    detail::RhoMeter meter(rho);
    const auto [counted, rest] = detail::count_rows(moment, options, meter, random);
    const double noise = standard_noise(NoiseLaw::wigner, d, random).norm();
    const double square = std::pow(gamma_of(d), 2);
    const double root = std::sqrt(neighbours == Neighbours::replace ? 2.0 : 1.0);
    const auto without_rounding =
        root * square / (std::sqrt(2.0 * rest.value()) * counted.rows.value) * noise;
    const auto order = static_cast<double>(d);
    const double rounding =
        2.0 * 3.0 * (order + 2.0) * 0x1p-53 * order * counted.rows.at_most / square / root;
    EXPECT_NEAR(released / without_rounding, 1.0 + rounding, 1e-7) << d;
    EXPECT_GT(rounding, 1e-5) << "the control: without it the noise is another";
}

TEST(CoinPress, ItsNoiseCoversWhatDoublesErrBy) {
    expect_noise_covers_rounding(doubled(moment_of(Rows(3, 0.0), 3), 46), Neighbours::replace,
                                 Rho(0.5));
    expect_noise_covers_rounding(moment_of(Rows(60, 0.0), 60), Neighbours::add_remove, Rho(1e-12));
}

TEST(CoinPress, SplitsTheBudgetAsTheCodeDoes) {
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 3, 1.0, 2), 3);
    for (int steps = 1; steps <= 5; ++steps) {
        ReleaseOptions options;
        options.steps = steps;
        const Release release = run("coinpress", moment, 0.1, options, 510);
        const std::vector<double> parts = split(steps, 0.1);
        ASSERT_EQ(release.stages.size(), parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            EXPECT_NEAR(std::get<Rho>(release.stages[i].spent).value(), parts[i], 1e-15);
        }
        EXPECT_LE(spent(release), 0.1);
    }
}

// Quarters that no double divides by three or four: the parts are rounded down, and the account of
// the release never refuses one of its own.
TEST(CoinPress, ItsStepsFitIntoEveryBudget) {
    const detail::SecretMoment moment = moment_of(sphere_rows(5, 1, 1.0, 2), 1);
    ReleaseOptions options;
    for (int i = 1; i <= 200; ++i) {
        options.steps = 3 + i % 3;
        const double rho = 0.1 * i / 7.0;
        EXPECT_NO_THROW(EXPECT_LE(spent(run("coinpress", moment, rho, options, 511)), rho)) << rho;
    }
}

TEST(CoinPress, RefusesOtherNumbersOfStepsBeforeItDraws) {
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 3, 1.0, 2), 3);
    for (const int steps : {-1, 0, 6, std::numeric_limits<int>::max()}) {
        ReleaseOptions options;
        options.steps = steps;
        FailingRandomSource random(520);
        EXPECT_THROW(
            (void)detail::run_method(find_method("coinpress"), moment, Rho(1.0), options, random),
            UsageError);
        EXPECT_EQ(random.used(), 0U);
    }
}

// Nothing depends on the unit that rows are measured in.
TEST(CoinPress, ScalesWithTheNormBound) {
    const detail::SecretMoment one = moment_of(sphere_rows(40, 4, 0.5, 3), 4, 1.0);
    const detail::SecretMoment many = moment_of(sphere_rows(40, 4, 512.0, 3), 4, 1024.0);
    for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
        const MatrixXd small = run("coinpress", one, 0.5, variant, 530).covariance;
        const MatrixXd large = run("coinpress", many, 0.5, variant, 530).covariance;
        EXPECT_LT((large / (1024.0 * 1024.0) - small).norm(), 1e-5 * small.norm());
        EXPECT_GE(spectrum(small).minCoeff(), -1e-12);
    }
}

}  // namespace
}  // namespace dpcov::test
