// The spectra of noise against what is known of them, and against noise.
#include "estimate/noise_spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <utility>

#include "arithmetic/eigen_decomposition.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;

// sigma = 1 for every d.
double unit_scale(Index d) {
    return std::sqrt(2.0 / static_cast<double>(d));
}

TEST(NoiseSpectrum, OfGaussianNoiseIsTheSemicircle) {
    const NoiseSpectrum noise(NoiseShape::gaussian, 50, unit_scale(50));
    EXPECT_NEAR(noise.edge(), 2.0, 1e-12);
    const NoiseSpectrum::Pull pull = noise.pull(0.3, 0.2);
    EXPECT_NEAR(pull.value, 0.6, 1e-12);
    EXPECT_NEAR(pull.by_x, 2.0, 1e-12);
    EXPECT_EQ(pull.by_y, 0.0);
    for (const double l : {2.01, 3.0, 50.0}) {
        const NoiseSpectrum::Spike spike = noise.spike(l);
        const double closed = std::sqrt(l * l - 4.0);
        EXPECT_NEAR(spike.value, closed, 1e-9);
        EXPECT_NEAR(spike.slope, l / closed, 1e-9 * l / closed);
    }
}

// With R(g) = g / (1 - a g^2) and a -> 1/2 as d grows: u^2 - u - 1 = 0 for u = theta^2 - a, so
// u is the golden ratio, and the edge is sqrt(u + 1/2) (1 + 1 / u). Random matrices of d = 400 end
// within 4 % of it; they do not at the semicircle's edge (control).
TEST(NoiseSpectrum, OfWishartNoiseEndsWhereTheLimitDoes) {
    const NoiseSpectrum limit(NoiseShape::wishart, 10000000, unit_scale(10000000));
    const double u = std::numbers::phi;
    EXPECT_NEAR(limit.edge(), std::sqrt(u + 0.5) * (1.0 + 1.0 / u), 1e-6);
    constexpr Index d = 400;
    const NoiseSpectrum noise(NoiseShape::wishart, d, unit_scale(d));
    std::mt19937_64 generator(40);
    for (int round = 0; round < 3; ++round) {
        const Eigen::VectorXd values =
            eigen_decomposition(test::two_sided_wishart_noise(d, unit_scale(d), generator)).values;
        EXPECT_NEAR(values[d - 1] / noise.edge(), 1.0, 0.04);
        EXPECT_NEAR(-values[0] / noise.edge(), 1.0, 0.04);
        EXPECT_GT(values[d - 1], 1.1 * 2.0);
    }
}

// Greatest eigenvalues of noise, less the edge and over edge_scale(), are Tracy and Widom's
// variable as d grows: mean -1.21 and deviation 1.27. At d = 40 the means of 20,000 are -1.36 and
// -1.39 for the two laws, at d = 100 those of 400 -1.26 and -1.27: between them here. The mean of
// 200 deviates by 0.09, so a tenth of a unit beyond five of these is a false alarm of 10^-6 at
// most. Control: Wishart noise against what is right for Gaussian noise.
TEST(NoiseSpectrum, GreatestEigenvaluesDeviateOnTheEdgesScale) {
    constexpr Index d = 60;
    constexpr int rounds = 200;
    for (const NoiseShape shape : {NoiseShape::gaussian, NoiseShape::wishart}) {
        const NoiseSpectrum noise(shape, d, 1.0);
        const NoiseSpectrum gaussian(NoiseShape::gaussian, d, 1.0);
        std::mt19937_64 generator(42);
        double mean = 0.0;
        double squares = 0.0;
        double by_gaussian = 0.0;
        for (int round = 0; round < rounds; ++round) {
            const double greatest = eigenvalues(test::noise_of(shape, d, 1.0, generator))[d - 1];
            const double deviations = (greatest - noise.edge()) / noise.edge_scale();
            mean += deviations / rounds;
            squares += deviations * deviations / rounds;
            by_gaussian += (greatest - gaussian.edge()) / gaussian.edge_scale() / rounds;
        }
        EXPECT_NEAR(mean, -1.33, 0.55);
        EXPECT_NEAR(std::sqrt(squares - mean * mean), 1.25, 0.4);
        if (shape == NoiseShape::wishart) {
            EXPECT_GT(by_gaussian, 1.0);
        }
    }
}

// The pull is Im(g R(g)) / Im g, its limit on the real axis the derivative of g R(g), and its
// derivatives are those of its value.
TEST(NoiseSpectrum, PullsAsItsTransformSays) {
    constexpr Index d = 30;
    const double s = unit_scale(d);
    const double a = 0.25 * d * d * s * s / (d + 1.0);
    const NoiseSpectrum noise(NoiseShape::wishart, d, s);
    const auto product = [&](std::complex<double> g) { return g * g / (1.0 - a * g * g); };
    for (const double x : {-0.6, 0.0, 0.1, 0.5}) {
        for (const double y : {1e-5, 0.1, 0.7}) {
            const NoiseSpectrum::Pull pull = noise.pull(x, y);
            EXPECT_NEAR(pull.value, product({x, y}).imag() / y, 1e-9);
            constexpr double h = 1e-6;
            EXPECT_NEAR(pull.by_x,
                        (noise.pull(x + h, y).value - noise.pull(x - h, y).value) / (2.0 * h),
                        1e-6);
            EXPECT_NEAR(pull.by_y,
                        (noise.pull(x, y + h).value - noise.pull(x, y - h).value) / (2.0 * h),
                        1e-6);
        }
        constexpr double h = 1e-5;
        EXPECT_NEAR(noise.pull(x, 0.0).value,
                    ((product(x + h) - product(x - h)) / (2.0 * h)).real(), 1e-8);
    }
}

// One eigenvalue theta of Sigma: how much of it the eigenvector keeps. Where it appears deviates by
// s, 0.1, and what is promised by the slope times that, so over the rounds by 4 % of itself at
// theta = 2 and by 1 % at 3; what is kept no more. Control: the shrinkage for Gaussian noise of the
// same size.
TEST(NoiseSpectrum, SpikesKeepWhatTheLimitSays) {
    constexpr Index d = 200;
    const double s = unit_scale(d);
    const NoiseSpectrum noise(NoiseShape::wishart, d, s);
    const NoiseSpectrum gaussian(NoiseShape::gaussian, d, s);
    std::mt19937_64 generator(41);
    for (const auto& [theta, tolerance] : {std::pair{2.0, 0.15}, std::pair{3.0, 0.05}}) {
        double kept = 0.0;
        double promised = 0.0;
        double by_gaussian = 0.0;
        constexpr int rounds = 25;
        for (int round = 0; round < rounds; ++round) {
            Eigen::MatrixXd matrix = test::two_sided_wishart_noise(d, s, generator);
            matrix(0, 0) += theta;
            const EigenDecomposition eigen = eigen_decomposition(matrix);
            kept += theta * std::pow(eigen.vectors(0, d - 1), 2) / rounds;
            promised += noise.spike(eigen.values[d - 1]).value / rounds;
            by_gaussian += gaussian.spike(eigen.values[d - 1]).value / rounds;
        }
        EXPECT_NEAR(promised / kept, 1.0, tolerance) << theta;
        if (theta < 2.5) {  // far from the noise the laws agree
            EXPECT_GT(by_gaussian / kept, 1.0 + tolerance);
        }
    }
    constexpr double h = 1e-6;
    EXPECT_NEAR(noise.spike(2.7).slope,
                (noise.spike(2.7 + h).value - noise.spike(2.7 - h).value) / (2.0 * h), 1e-5);
}

}  // namespace
}  // namespace dpcov::detail
