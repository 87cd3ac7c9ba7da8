// Shrinkage against what an oracle would do with the same eigenvectors, and its derivatives.
#include "estimate/shrinkage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/risk.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ShrinkageRule = std::function<Shrinkage(const VectorXd& noisy)>;

constexpr NoiseShape shapes[] = {NoiseShape::gaussian, NoiseShape::wishart};

double edge(double s, Index d) {
    return s * std::sqrt(2.0 * static_cast<double>(d));
}

ShrinkageRule invariant(NoiseShape shape, double s, double bandwidth, Index bulk = 1) {
    return [=](const VectorXd& noisy) {
        return rotation_invariant_shrinkage(noisy, NoiseSpectrum(shape, noisy.size(), s), bandwidth,
                                            {bulk})
            .front();
    };
}

ShrinkageRule spiked(NoiseShape shape, double s) {
    return [=](const VectorXd& noisy) {
        return spiked_shrinkage(noisy, NoiseSpectrum(shape, noisy.size(), s));
    };
}

// Squared errors of a shrinkage, of no shrinkage, and of the best values for the same vectors.
struct Errors {
    double shrunk = 0.0;
    double noisy = 0.0;
    double oracle = 0.0;
};

Errors measure(NoiseShape shape, const VectorXd& spectrum, double s, const ShrinkageRule& shrink,
               int rounds) {
    std::mt19937_64 generator(5);
    Errors errors;
    for (int round = 0; round < rounds; ++round) {
        const MatrixXd truth = test::with_spectrum(spectrum, generator);
        const EigenDecomposition eigen =
            eigen_decomposition(truth + test::noise_of(shape, truth.rows(), s, generator));
        const auto error = [&](const VectorXd& values) {
            return (assemble(eigen.vectors, values) - truth).squaredNorm() / rounds;
        };
        errors.shrunk += error(shrink(eigen.values).values);
        errors.noisy += error(eigen.values);
        errors.oracle += error((eigen.vectors.transpose() * truth * eigen.vectors).diagonal());
    }
    return errors;
}

// A square Marchenko-Pastur-like bulk above nothing and one eigenvalue far out.
VectorXd bulk_and_spike(Index d) {
    VectorXd spectrum(d);
    for (Index i = 0; i < d; ++i) {
        spectrum[i] = 4.0 * std::pow((static_cast<double>(i) + 0.5) / static_cast<double>(d), 3);
    }
    spectrum[d - 1] = 100.0;
    return spectrum;
}

// 4 rounds of d = 100: the ratios vary by about 1 %.
TEST(RotationInvariantShrinkage, ComesWithinATenthOfTheOracle) {
    constexpr Index d = 100;
    const double s = 0.3;
    const double width = edge(s, d) / std::cbrt(static_cast<double>(d));
    for (const NoiseShape shape : shapes) {
        const auto measured = [&](double scale) {
            return measure(shape, bulk_and_spike(d), s, invariant(shape, scale, width), 4);
        };
        const Errors errors = measured(s);
        EXPECT_LT(errors.shrunk, 1.1 * errors.oracle);
        EXPECT_GE(errors.shrunk, errors.oracle);
        // Controls: no shrinkage, and shrinkage for half or twice the noise.
        EXPECT_GT(errors.noisy, 1.5 * errors.oracle);
        EXPECT_GT(measured(0.5 * s).shrunk, 1.1 * errors.oracle);
        EXPECT_GT(measured(2.0 * s).shrunk, 1.1 * errors.oracle);
    }
}

// A spike just above what Wishart noise makes of nothing. Control: shrinkage for the semicircle of
// the same variance, whose edge is lower.
TEST(RotationInvariantShrinkage, KnowsTheEdgeOfWishartNoise) {
    constexpr Index d = 100;
    const double width = edge(1.0, d) / std::cbrt(static_cast<double>(d));
    VectorXd spectrum = VectorXd::Zero(d);
    spectrum[d - 1] = 1.2 * edge(1.0, d);
    const NoiseShape law = NoiseShape::wishart;
    const Errors errors = measure(law, spectrum, 1.0, invariant(law, 1.0, width), 10);
    const Errors other =
        measure(law, spectrum, 1.0, invariant(NoiseShape::gaussian, 1.0, width), 10);
    EXPECT_LT(errors.shrunk, 1.4 * errors.oracle);
    EXPECT_GT(other.shrunk, 1.3 * errors.shrunk);
}

TEST(SpikedShrinkage, ComesWithinATenthOfTheOracleForFewEigenvalues) {
    constexpr Index d = 100;
    const double s = 0.3;
    VectorXd spectrum = VectorXd::Zero(d);
    spectrum.tail(3) << 6.0, 9.0, 20.0;
    for (const NoiseShape shape : shapes) {
        const Errors errors = measure(shape, spectrum, s, spiked(shape, s), 4);
        EXPECT_LT(errors.shrunk, 1.1 * errors.oracle);
        const ShrinkageRule doubled = spiked(shape, 2.0 * s);
        EXPECT_GT(measure(shape, spectrum, s, doubled, 4).shrunk, 1.1 * errors.oracle);  // control
    }
}

// Of nothing but noise, nearly nothing is left.
TEST(RotationInvariantShrinkage, LeavesLittleOfNoise) {
    constexpr Index d = 100;
    const double width = edge(1.0, d) / std::cbrt(static_cast<double>(d));
    for (const NoiseShape shape : shapes) {
        const Errors errors =
            measure(shape, VectorXd::Zero(d), 1.0, invariant(shape, 1.0, width), 4);
        EXPECT_LT(errors.shrunk, 0.02 * errors.noisy);
    }
}

// The penalty of a function of the eigenvalues is E<noise, f(Y)>. Control: the divergence alone,
// which is right for Gaussian noise, misses 1 - (1 - a / theta^2)^2, a tenth, of an eigenvalue
// theta = 3 sigma that stands alone (a = sigma^2 / 2).
TEST(ExcessPull, IsWhatTheDivergenceLeavesOut) {
    std::mt19937_64 generator(8);
    constexpr Index d = 100;
    constexpr int rounds = 400;
    const double width = edge(1.0, d) / std::cbrt(static_cast<double>(d));
    VectorXd spectrum = VectorXd::Zero(d);
    spectrum[d - 1] = 1.5 * edge(1.0, d);
    double product = 0.0;
    double divergence = 0.0;
    double penalty = 0.0;
    for (int round = 0; round < rounds; ++round) {
        const MatrixXd truth = test::with_spectrum(spectrum, generator);
        const MatrixXd noise = test::two_sided_wishart_noise(d, 1.0, generator);
        const EigenDecomposition eigen = eigen_decomposition(truth + noise);
        const NoiseSpectrum law(NoiseShape::wishart, d, 1.0);
        const Shrinkage shrunk = spiked_shrinkage(eigen.values, law);
        const VectorXd excess = excess_pull(eigen.values, law, width);
        product += assemble(eigen.vectors, shrunk.values).cwiseProduct(noise).sum() / rounds;
        divergence += shrunk.divergence / rounds;
        penalty += (shrunk.divergence + shrunk.values.dot(excess)) / rounds;
        EXPECT_TRUE(
            excess_pull(eigen.values, NoiseSpectrum(NoiseShape::gaussian, d, 1.0), width).isZero());
    }
    // The product is the spike times u^T N u, u its eigenvector, which deviates by about s sqrt(2)
    // on a mean of 2 sigma^2 / theta = 4.7 s: 30 %, so 1.5 % over the rounds.
    EXPECT_NEAR(penalty / product, 1.0, 0.05);
    EXPECT_LT(divergence / product, 0.95);
}

MatrixXd apply(const ShrinkageRule& shrink, const MatrixXd& matrix) {
    const EigenDecomposition eigen = eigen_decomposition(matrix);
    return assemble(eigen.vectors, shrink(eigen.values).values);
}

// The divergence is exact between the kinks, so differences agree to their own error. The kernel's
// derivative has logarithmic poles; 10^-4 leaves room for one nearby.
TEST(Shrinkage, DivergencesAreThoseOfTheMap) {
    std::mt19937_64 generator(7);
    const double s = 0.5;
    for (const Index d : {1, 2, 5, 12}) {
        const VectorXd spectrum = VectorXd::LinSpaced(d, 0.0, 4.0).array().square();
        const MatrixXd noisy =
            test::with_spectrum(spectrum, generator) + test::isotropic_noise(d, s, generator);
        const VectorXd values = eigen_decomposition(noisy).values;
        const double width = edge(s, d) / std::cbrt(static_cast<double>(d));
        const ShrinkageRule all[] = {
            [](const VectorXd& l) { return positive_part(l); },
            spiked(NoiseShape::gaussian, s),
            spiked(NoiseShape::wishart, s),
            invariant(NoiseShape::gaussian, s, 0.5 * width),
            invariant(NoiseShape::gaussian, s, width),
            invariant(NoiseShape::gaussian, s, 2.0 * width),
            invariant(NoiseShape::gaussian, s, width, d),
            invariant(NoiseShape::gaussian, s, width, std::max<Index>(1, d - 2)),
            invariant(NoiseShape::wishart, s, 0.5 * width),
            invariant(NoiseShape::wishart, s, width),
            invariant(NoiseShape::wishart, s, 2.0 * width),
            invariant(NoiseShape::wishart, s, width, d),
        };
        for (const ShrinkageRule& shrink : all) {
            const Shrinkage shrunk = shrink(values);
            const double seen = test::divergence_by_differences(
                [&](const MatrixXd& y) { return apply(shrink, y); }, noisy, 1e-6);
            EXPECT_NEAR(shrunk.divergence, seen, 1e-4 * (1.0 + std::fabs(seen))) << d;
            EXPECT_GE(shrunk.values.minCoeff(), 0.0);
            for (Index i = 1; i < d; ++i) EXPECT_GE(shrunk.values[i], shrunk.values[i - 1]);
            // Control: without the derivatives of the eigenvalues it is something else.
            if (shrunk.values.maxCoeff() > 0.0) {
                const double without =
                    spectral_divergence(values, shrunk.values, VectorXd::Zero(d));
                EXPECT_GT(std::fabs(without - seen), 1e-2) << d;
            }
        }
    }
}

// The Hilbert transform of the kernel against numerical integration, through two eigenvalues: the
// greater one is moved down by s^2 times the transform of the density around the other.
TEST(RotationInvariantShrinkage, UsesTheHilbertTransformOfTheEpanechnikovKernel) {
    for (const double gap : {0.05, 0.4, 0.9, 1.3, 5.0, 99.0, 101.0, 1000.0}) {
        // Principal value: the density at 2u - t cancels what diverges.
        double integral = 0.0;
        constexpr int steps = 200000;
        const auto density = [](double t) { return std::fabs(t) < 1 ? 0.75 * (1 - t * t) : 0.0; };
        const double reach = 1.0 + gap;
        for (int i = 0; i < steps; ++i) {
            const double x = (i + 0.5) * reach / steps;
            integral += (density(gap - x) - density(gap + x)) / x * reach / steps;
        }
        const VectorXd noisy = (VectorXd(2) << 10.0, 10.0 + gap).finished();
        const Shrinkage shrunk = rotation_invariant_shrinkage(
                                     noisy, NoiseSpectrum(NoiseShape::gaussian, 2, 0.01), 1.0, {1})
                                     .front();
        EXPECT_NEAR((noisy[1] - shrunk.values[1]) / 1e-4, integral, 2e-4 * (1.0 + integral)) << gap;
    }
}

}  // namespace
}  // namespace dpcov::detail
