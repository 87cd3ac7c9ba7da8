#include "dpcov/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "support/decompositions.hpp"
#include "support/special_numbers.hpp"
#include "support/test_size.hpp"
#include "support/usage_error.hpp"

namespace dpcov {
namespace {

using test::infinity;
using test::nan;
using test::usage_error_of;

double normal(std::mt19937_64& engine) {
    return std::normal_distribution<double>()(engine);
}

Eigen::MatrixXd wigner(Eigen::Index d, std::mt19937_64& engine) {
    Eigen::MatrixXd matrix(d, d);
    for (Eigen::Index j = 0; j < d; ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            matrix(i, j) = matrix(j, i) = normal(engine);
        }
    }
    return matrix;
}

double spectral_norm(const Eigen::MatrixXd& matrix) {
    return test::spectrum(matrix).cwiseAbs().maxCoeff();
}

// The statistical tests. A bound with failure probability beta is refuted when more of `runs`
// draws exceed it than a Binomial(runs, beta) does with probability 1e-6 or less: by the Chernoff
// bound, more than runs beta + sqrt(3 runs beta log(1e6)) (for runs beta >= log(1e6) * 3).
// False-alarm rate: at most 1e-6 per comparison, about 30 comparisons in this file; the seed is
// fixed. Negative controls: the bound times a factor below 1 that must be refuted.
constexpr double beta = 0.1;

std::vector<double> sample(int runs, const std::function<double()>& draw) {
    std::vector<double> draws(static_cast<std::size_t>(runs));
    std::generate(draws.begin(), draws.end(), draw);
    return draws;
}

bool refuted(double bound, const std::vector<double>& draws) {
    const auto exceeded =
        std::count_if(draws.begin(), draws.end(), [&](double draw) { return draw > bound; });
    const double mean = static_cast<double>(draws.size()) * beta;
    return static_cast<double>(exceeded) > mean + std::sqrt(3.0 * mean * std::log(1e6));
}

int runs_for(Eigen::Index d) {
    return d < 100 ? 4000 : 500;
}

// Of matrices so large that the asymptotics show: a hundred columns by day.
const Eigen::Index many = test::test_size(100, 200);

TEST(GaussianNorms, EtaHolds) {
    std::mt19937_64 engine(21);
    for (const Eigen::Index d : {Eigen::Index{1}, Eigen::Index{2}, Eigen::Index{10}, many}) {
        const auto draw = [&] {
            double squares = 0.0;
            for (Eigen::Index i = 0; i < d; ++i) {
                squares += std::pow(normal(engine), 2);
            }
            return std::sqrt(squares);
        };
        const std::vector<double> norms = sample(4000, draw);
        const double bound = eta(static_cast<std::size_t>(d), beta);
        EXPECT_FALSE(refuted(bound, norms)) << d;
        EXPECT_TRUE(refuted(0.3 * bound, norms)) << d;
    }
}

TEST(GaussianNorms, UpsilonHolds) {
    std::mt19937_64 engine(22);
    for (const Eigen::Index d : {Eigen::Index{1}, Eigen::Index{2}, Eigen::Index{10}, many}) {
        const std::vector<double> norms =
            sample(runs_for(d), [&] { return spectral_norm(wigner(d, engine)); });
        const double paper = upsilon(static_cast<std::size_t>(d), beta);
        const double sharp = upsilon_sharp(static_cast<std::size_t>(d), beta);
        EXPECT_FALSE(refuted(sharp, norms)) << d;
        EXPECT_TRUE(refuted(0.3 * sharp, norms)) << d;
        EXPECT_FALSE(refuted(paper, norms)) << d;
        // The paper's bound is so generous that 0.3 of it still holds at d <= 10.
        EXPECT_TRUE(refuted((d < 100 ? 0.06 : 0.3) * paper, norms)) << d;
    }
}

TEST(GaussianNorms, OmegaHolds) {
    std::mt19937_64 engine(23);
    for (const Eigen::Index d : {Eigen::Index{1}, Eigen::Index{2}, Eigen::Index{10}, many}) {
        const std::vector<double> norms =
            sample(runs_for(d), [&] { return wigner(d, engine).norm(); });
        const double paper = omega(static_cast<std::size_t>(d), beta);
        const double sharp = omega_sharp(static_cast<std::size_t>(d), beta);
        EXPECT_FALSE(refuted(paper, norms)) << d;
        EXPECT_FALSE(refuted(sharp, norms)) << d;
        EXPECT_TRUE(refuted(0.3 * paper, norms)) << d;
        EXPECT_TRUE(refuted(0.3 * sharp, norms)) << d;
    }
}

double laplace(std::mt19937_64& engine) {
    const double size = std::exponential_distribution<double>()(engine);
    return std::bernoulli_distribution()(engine) ? size : -size;
}

Eigen::MatrixXd laplace_wigner(Eigen::Index d, std::mt19937_64& engine) {
    Eigen::MatrixXd matrix(d, d);
    for (Eigen::Index j = 0; j < d; ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            matrix(i, j) = matrix(j, i) = laplace(engine);
        }
    }
    return matrix;
}

// These bounds are so generous that the controls are far below: a part of the bound that is under
// the 90 % quantile.
TEST(LaplaceNorms, Hold) {
    std::mt19937_64 engine(26);
    struct Case {
        Eigen::Index d;
        double eta_control;
        double upsilon_control;
        double omega_control;
    };
    for (const Case& c :
         {Case{1, 0.05, 0.02, 0.05}, Case{2, 0.06, 0.03, 0.07}, Case{10, 0.1, 0.06, 0.15},
          test::test_size(Case{100, 0.14, 0.08, 0.35}, Case{200, 0.18, 0.1, 0.5})}) {
        const auto d = static_cast<std::size_t>(c.d);
        const std::vector<double> norms = sample(4000, [&] {
            double squares = 0.0;
            for (Eigen::Index i = 0; i < c.d; ++i) squares += std::pow(laplace(engine), 2);
            return std::sqrt(squares);
        });
        EXPECT_FALSE(refuted(eta_laplace(d, beta), norms)) << d;
        EXPECT_TRUE(refuted(c.eta_control * eta_laplace(d, beta), norms)) << d;
        const std::vector<double> spectral =
            sample(runs_for(c.d), [&] { return spectral_norm(laplace_wigner(c.d, engine)); });
        EXPECT_FALSE(refuted(upsilon_laplace(d, beta), spectral)) << d;
        EXPECT_FALSE(refuted(upsilon_laplace_sharp(d, beta), spectral)) << d;
        EXPECT_TRUE(refuted(0.2 * upsilon_laplace_sharp(d, beta), spectral) || c.d < many) << d;
        EXPECT_TRUE(refuted(c.upsilon_control * upsilon_laplace(d, beta), spectral)) << d;
        const std::vector<double> frobenius =
            sample(runs_for(c.d), [&] { return laplace_wigner(c.d, engine).norm(); });
        EXPECT_FALSE(refuted(omega_laplace(d, beta), frobenius)) << d;
        EXPECT_TRUE(refuted(c.omega_control * omega_laplace(d, beta), frobenius)) << d;
    }
}

// The step of the proof for small d: a norm with mean square `second_moment`, at most `factor`
// times a Gamma(count) variable, exceeds bound(x) with probability at most beta = 2 exp(-x), for
// log 2 <= x <= 8 by Markov or Chernoff on a grid, on which the tail at one point is held against
// beta at the next; beyond, Chernoff's exponent falls faster than beta.
void expect_small_dimension_proof(double second_moment, double count, double factor,
                                  const std::function<double(double)>& bound) {
    const auto chernoff = [&](double t) { return count - t + count * std::log(t / count); };
    constexpr double step = 0.01;
    for (double x = std::log(2.0); x < 8.0; x += step) {
        const double norm = bound(x);
        const double gamma = norm / factor;
        const double log_tail = std::min(std::log(second_moment / (norm * norm)),
                                         gamma > count ? chernoff(gamma) : 0.0);
        EXPECT_LE(log_tail, std::log(2.0) - (x + step)) << count << " " << x;
    }
    const double last = bound(8.0) / factor;
    const double slope = (bound(9.0) - bound(8.0)) / factor;
    EXPECT_LE(chernoff(last), std::log(2.0) - 8.0);
    EXPECT_GT(slope * (1.0 - count / last), 1.0);
}

TEST(LaplaceNorms, AreProvedForSmallDimensions) {
    for (std::size_t d = 1; d < 16; ++d) {
        const auto order = static_cast<double>(d);
        expect_small_dimension_proof(2.0 * order, order, 1.0, [&](double x) {
            return eta_laplace(d, std::min(2.0 * std::exp(-x), 1.0 - 1e-16));
        });
        if (d < 10) {
            expect_small_dimension_proof(
                2.0 * order * order, order * (order + 1.0) / 2.0, std::sqrt(2.0), [&](double x) {
                    return omega_laplace(d, std::min(2.0 * std::exp(-x), 1.0 - 1e-16));
                });
        }
    }
}

// What the proofs for larger d ask of the numbers.
TEST(LaplaceNorms, AreProvedForLargeDimensions) {
    const auto tail_factor = [](auto bound, std::size_t d) {
        return (bound(d, 0.01) - bound(d, 0.1)) / std::log(10.0);
    };
    for (std::size_t d = 16; d < 100000; d += d / 16) {
        EXPECT_GE(tail_factor(eta_laplace, d), 16.0 * (1.0 - 1e-12)) << d;
        EXPECT_GE(tail_factor(omega_laplace, d), 16.0 * std::sqrt(2.0)) << d;
    }
    EXPECT_GE(tail_factor(omega_laplace, 10), 16.0 * std::sqrt(2.0));
    double harmonic = 0.0;
    std::size_t entries = 0;
    for (std::size_t d = 1; d <= 600; ++d) {
        for (; entries < d * (d + 1) / 2; ++entries) {
            harmonic += 1.0 / static_cast<double>(entries + 1);
        }
        EXPECT_GE(
            upsilon_laplace_sharp(d, 1.0 - 1e-16),
            2.0 * std::sqrt(2.0 * static_cast<double>(d) * harmonic) + 16.0 * std::log(2.0) - 1e-12)
            << d;
        EXPECT_GE(tail_factor(upsilon_laplace, d), 16.0) << d;
        // Up to 417 the paper's bound is proved for every beta, and not from there on.
        EXPECT_EQ(upsilon_laplace(d, 1.0 - 1e-16) >= upsilon_laplace_sharp(d, 1.0 - 1e-16),
                  d <= 417)
            << d;
    }
    // It is above what the norm of a large matrix is near. Control: a part of it is not.
    for (double d = 1.0; d < 1e15; d = std::ceil(d * 1.1)) {
        const double near = 2.0 * std::sqrt(2.0 * d);
        ASSERT_GT(upsilon_laplace(static_cast<std::size_t>(d), beta), near);
    }
    EXPECT_LT(0.9 * upsilon_laplace(std::size_t{1} << 50, beta),
              2.0 * std::sqrt(std::ldexp(2.0, 50)));
}

TEST(GaussianNorms, PaperBoundsAreNeverBelowTheProvedOnes) {
    for (const double failure : {1.0 - 1e-16, 0.999, 0.5, 0.1, 1e-3, 1e-10, 1e-100, 5e-324}) {
        for (double d = 1.0; d < 1e15; d = std::ceil(d * 1.01)) {
            const auto dimension = static_cast<std::size_t>(d);
            ASSERT_GE(upsilon(dimension, failure), upsilon_sharp(dimension, failure)) << d;
            ASSERT_GE(omega(dimension, failure), omega_sharp(dimension, failure)) << d;
        }
    }
}

TEST(GaussianNorms, KnownValues) {
    // By hand: eta(1, 1/e)^2 = 1 + 2 + 2.
    EXPECT_NEAR(eta(1, std::exp(-1.0)), std::sqrt(5.0), 1e-15);
    EXPECT_NEAR(eta(4, std::exp(-1.0)), std::sqrt(10.0), 1e-15);
    // omega(1, 2/e)^2 = 1 + 2 + 6; omega(3, 2/e)^2 = 9 + 2 sqrt(3) (1 + 2) + 6.
    EXPECT_NEAR(omega(1, 2.0 * std::exp(-1.0)), 3.0, 1e-14);
    EXPECT_NEAR(omega(3, 2.0 * std::exp(-1.0)), std::sqrt(15.0 + 6.0 * std::sqrt(3.0)), 1e-14);
    EXPECT_NEAR(omega_sharp(1, std::exp(-1.0)), std::sqrt(7.0), 1e-14);
    EXPECT_NEAR(upsilon_sharp(1, 2.0 * std::exp(-2.0)), 4.0, 1e-14);
    // upsilon at d = 1: log d and theta are 1.
    EXPECT_NEAR(upsilon(1, std::exp(-2.0)), 4.0 + 12.0 / std::sqrt(std::log(2.0)) + 4.0, 1e-13);
    // By an independent program. At d = 2 theta is 0.79: there is no cap at 1/2, which would make
    // it 20.8.
    EXPECT_NEAR(upsilon(1, 0.1), 22.705400958016092, 1e-12);
    EXPECT_NEAR(upsilon(2, 0.1), 23.444885042386897, 1e-12);
    EXPECT_NEAR(upsilon(200, 0.1), 76.10637616323726, 1e-12);
}

TEST(GaussianNorms, AreFiniteAndFallWithBetaAndRiseWithDimension) {
    using Bound = double (*)(std::size_t, double);
    for (const Bound bound : {&eta, &upsilon, &upsilon_sharp, &omega, &omega_sharp, &eta_laplace,
                              &upsilon_laplace, &upsilon_laplace_sharp, &omega_laplace}) {
        for (const std::size_t d : {1U, 2U, 3U, 4U, 10U, 5000U}) {
            EXPECT_TRUE(std::isfinite(bound(d, 5e-324)));
            EXPECT_TRUE(std::isfinite(bound(d, 1.0 - 1e-16)));
            EXPECT_GT(bound(d, 0.01), bound(d, 0.1));
            EXPECT_GT(bound(d + 1, 0.1), bound(d, 0.1));
        }
    }
}

// A spiked covariance of n rows of norm at most r: decreasing spectrum with the given trace.
Eigen::VectorXd spectrum(Eigen::Index d, double trace) {
    Eigen::VectorXd values(d);
    for (Eigen::Index i = 0; i < d; ++i) {
        values(i) = 1.0 / std::pow(static_cast<double>(i + 1), 2);
    }
    return values * (trace / values.sum());
}

TEST(ErrorBounds, HoldForSimulatedMechanisms) {
    std::mt19937_64 engine(24);
    const Rho rho(0.5);
    const double r = 2.0;
    const double trace = 3.0;
    for (const Eigen::Index d : {1, 2, 10}) {
        for (const std::uint64_t n : {20U, 2000U}) {
            const double noise = r * r / (std::sqrt(rho.value()) * static_cast<double>(n));
            // The noise is isotropic enough for a diagonal Sigma to stand for any.
            const Eigen::VectorXd truth = spectrum(d, trace);
            const auto gauss = [&] { return (noise * wigner(d, engine)).norm(); };
            const auto separate = [&] {
                const double half = std::sqrt(2.0) * noise;
                const Eigen::MatrixXd noisy =
                    half * wigner(d, engine) + Eigen::MatrixXd(truth.asDiagonal());
                // Eigen sorts increasing, the spectrum is decreasing.
                const Eigen::MatrixXd vectors =
                    test::eigen_pairs(noisy).vectors.rowwise().reverse();
                const Eigen::VectorXd values =
                    truth.unaryExpr([&](double value) { return value + half * normal(engine); });
                return (vectors * values.asDiagonal() * vectors.transpose() -
                        Eigen::MatrixXd(truth.asDiagonal()))
                    .norm();
            };
            const auto dimension = static_cast<std::size_t>(d);
            const std::vector<double> gauss_errors = sample(4000, gauss);
            const std::vector<double> separate_errors = sample(4000, separate);
            const double gauss_bound = gauss_error_bound(dimension, n, rho, r, beta);
            EXPECT_FALSE(refuted(gauss_bound, gauss_errors)) << d << " " << n;
            EXPECT_TRUE(refuted(0.3 * gauss_bound, gauss_errors)) << d << " " << n;
            const double separate_bound = separate_error_bound(dimension, n, rho, r, trace, beta);
            EXPECT_FALSE(refuted(separate_bound, separate_errors)) << d << " " << n;
            // With many rows the eigenvectors are far better than the bound, which covers every
            // spectrum with that trace; with few the control is this strict.
            if (n == 20) {
                EXPECT_TRUE(refuted(0.04 * separate_bound, separate_errors)) << d;
            }
        }
    }
}

TEST(ErrorBounds, HoldForSimulatedPureMechanisms) {
    std::mt19937_64 engine(27);
    const Epsilon epsilon(0.8);
    const double r = 2.0;
    const double trace = 3.0;
    for (const Eigen::Index d : {1, 2, 10}) {
        const auto dimension = static_cast<std::size_t>(d);
        const std::uint64_t n = 200;
        const double unit = r * r / (epsilon.value() * static_cast<double>(n));
        const double matrix_noise = std::sqrt(2.0) * static_cast<double>(d) * unit;
        const Eigen::VectorXd truth = spectrum(d, trace);
        const std::vector<double> lap_errors =
            sample(2000, [&] { return (matrix_noise * laplace_wigner(d, engine)).norm(); });
        const double lap_bound = lap_error_bound(dimension, n, epsilon, r, beta);
        EXPECT_FALSE(refuted(lap_bound, lap_errors)) << d;
        EXPECT_TRUE(refuted(0.05 * lap_bound, lap_errors)) << d;
        const std::vector<double> separate_errors = sample(2000, [&] {
            const Eigen::MatrixXd noisy = 2.0 * matrix_noise * laplace_wigner(d, engine) +
                                          Eigen::MatrixXd(truth.asDiagonal());
            const Eigen::MatrixXd vectors = test::eigen_pairs(noisy).vectors.rowwise().reverse();
            const Eigen::VectorXd values =
                truth.unaryExpr([&](double value) { return value + 4.0 * unit * laplace(engine); });
            return (vectors * values.asDiagonal() * vectors.transpose() -
                    Eigen::MatrixXd(truth.asDiagonal()))
                .norm();
        });
        const double bound = separate_lap_error_bound(dimension, n, epsilon, r, trace, beta);
        EXPECT_FALSE(refuted(bound, separate_errors)) << d;
        EXPECT_TRUE(refuted(0.01 * bound, separate_errors)) << d;
    }
}

// |D|_F where D = P Lambda P^T - Sigma, Sigma = e1 e1^T and P the eigenvectors of Sigma + N.
double rotation_error(const Eigen::MatrixXd& perturbation) {
    Eigen::MatrixXd sigma = Eigen::MatrixXd::Zero(perturbation.rows(), perturbation.cols());
    sigma(0, 0) = 1.0;
    const Eigen::VectorXd top = test::eigen_pairs(sigma + perturbation).vectors.rightCols(1);
    return (top * top.transpose() - sigma).norm();
}

// The step of the proof that carries the constant, without the slack of upsilon: the rotation costs
// at most 2 sqrt(trace |N|_2). Never violated, not merely seldom; and it is reached, so a smaller
// constant would fail here.
TEST(ErrorBounds, RotationStepIsTrueAndItsConstantIsReached) {
    std::mt19937_64 engine(25);
    std::uniform_real_distribution<double> log_scale(-6.0, 1.0);
    for (int run = 0; run < 20000; ++run) {
        const Eigen::MatrixXd perturbation =
            std::exp(log_scale(engine)) * wigner(2 + run % 3, engine);
        ASSERT_LE(rotation_error(perturbation),
                  2.0 * std::sqrt(spectral_norm(perturbation)) * (1.0 + 1e-12));
    }
    // Just enough to exchange the two axes: |N|_2 = 1/2, |D|_F = sqrt(2).
    const Eigen::Vector2d exchange(-0.5 - 1e-9, 0.5 + 1e-9);
    EXPECT_GT(rotation_error(exchange.asDiagonal()), 0.999999 * 2.0 * std::sqrt(0.5));
}

TEST(ErrorBounds, KnownValuesAndScaling) {
    const double gauss = gauss_error_bound(10, 1000, Rho(0.25), 3.0, 0.1);
    EXPECT_NEAR(gauss, 9.0 * omega(10, 0.1) / 500.0, 1e-15);
    const double separate = separate_error_bound(10, 1000, Rho(0.25), 3.0, 2.0, 0.1);
    EXPECT_NEAR(separate,
                std::pow(2.0, 1.25) * 3.0 * std::sqrt(2.0) * std::sqrt(upsilon(10, 0.05)) /
                        (std::sqrt(1000.0) * std::pow(0.25, 0.25)) +
                    std::sqrt(2.0) * 9.0 * eta(10, 0.05) / 500.0,
                1e-14);
    // Units: r by 10 and the trace by 100 is the error by 100.
    EXPECT_NEAR(separate_error_bound(10, 1000, Rho(0.25), 30.0, 200.0, 0.1), 100.0 * separate,
                1e-11);
    EXPECT_GT(separate_error_bound(10, 1000, Rho(0.25), 3.0, 0.0, 0.1), 0.0);
}

TEST(ErrorBounds, KnownPureValues) {
    // K at d = 1: 2 (3 + 2 sqrt(2)); at 200: 4 log2(200). By hand.
    const double least = 2.0 * (3.0 + 2.0 * std::sqrt(2.0));
    EXPECT_NEAR(eta_laplace(1, 2.0 * std::exp(-1.0)), 1.5 + least, 1e-12);
    EXPECT_NEAR(eta_laplace(200, 2.0 * std::exp(-1.0)),
                1.5 * std::sqrt(200.0) + 4.0 * std::log2(200.0), 1e-12);
    EXPECT_NEAR(omega_laplace(3, 2.0 * std::exp(-2.0)), 4.5 + 2.0 * least, 1e-12);
    EXPECT_NEAR(upsilon_laplace(1, 2.0 * std::exp(-1.0)),
                3.0 + 9.0 / std::sqrt(std::log(1.5)) + std::sqrt(2.0) * least, 1e-12);
    EXPECT_NEAR(upsilon_laplace(200, 0.1), 359.5604664202374, 1e-10);
    EXPECT_NEAR(upsilon_laplace_sharp(200, 0.1), 177.45833532181467, 1e-8);
    EXPECT_NEAR(lap_error_bound(10, 1000, Epsilon(0.25), 3.0, 0.1),
                std::sqrt(2.0) * 10.0 * 9.0 * omega_laplace(10, 0.1) / 250.0, 1e-12);
    const double separate = separate_lap_error_bound(10, 1000, Epsilon(0.25), 3.0, 2.0, 0.1);
    EXPECT_NEAR(
        separate,
        3.0 * std::sqrt(8.0 * std::sqrt(2.0) * 10.0 * 2.0 * upsilon_laplace(10, 0.05) / 250.0) +
            4.0 * 9.0 * eta_laplace(10, 0.05) / 250.0,
        1e-12);
    EXPECT_EQ(adaptive_lap_noise(2, 1000000, Epsilon(1.0), 1.0, 1.0, 0.1),
              lap_error_bound(2, 1000000, Epsilon(1.0), 1.0, 0.1));
    EXPECT_EQ(adaptive_lap_noise(5000, 1000, Epsilon(0.1), 1.0, 1.0, 0.1),
              separate_lap_error_bound(5000, 1000, Epsilon(0.1), 1.0, 1.0, 0.1));
}

TEST(ErrorBounds, AdaptiveNoiseIsTheLesser) {
    // Low dimension, many rows: Gauss; high dimension, few rows: Separate.
    EXPECT_EQ(adaptive_noise(2, 1000000, Rho(1.0), 1.0, 1.0, 0.1),
              gauss_error_bound(2, 1000000, Rho(1.0), 1.0, 0.1));
    EXPECT_EQ(adaptive_noise(5000, 1000, Rho(0.1), 1.0, 1.0, 0.1),
              separate_error_bound(5000, 1000, Rho(0.1), 1.0, 1.0, 0.1));
    for (const std::size_t d : {1U, 2U}) {
        EXPECT_TRUE(std::isfinite(adaptive_noise(d, 1, Rho(1e-9), 1.0, 1.0, 1e-12)));
    }
}

// Where the trace is the crossover the two error bounds are equal, and SeparateCov's is the lower
// one below it only. Its order is the paper's: d^(3/2) / n.
TEST(ErrorBounds, CrossoverIsWhereTheBoundsMeet) {
    const double r = 3.0;
    int found = 0;
    for (const std::size_t d : {1U, 2U, 10U, 200U, 2000U}) {
        for (const std::uint64_t n : {100U, 10000U, 1000000U}) {
            const Rho rho(0.3);
            const Epsilon epsilon(0.3);
            const double whole = gauss_error_bound(d, n, rho, r, beta);
            const double trace = crossover_trace(d, n, rho, r, beta);
            const double pure_whole = lap_error_bound(d, n, epsilon, r, beta);
            const double pure_trace = crossover_trace(d, n, epsilon, r, beta);
            if (trace == 0.0) {
                EXPECT_GE(separate_error_bound(d, n, rho, r, 0.0, beta), whole);
                EXPECT_LT(d, 200U);
            } else {
                ++found;
                EXPECT_NEAR(separate_error_bound(d, n, rho, r, trace, beta), whole, 1e-9 * whole);
                EXPECT_LT(separate_error_bound(d, n, rho, r, 0.99 * trace, beta), whole);
                EXPECT_GT(separate_error_bound(d, n, rho, r, 1.01 * trace, beta), whole);
            }
            if (pure_trace > 0.0) {
                EXPECT_NEAR(separate_lap_error_bound(d, n, epsilon, r, pure_trace, beta),
                            pure_whole, 1e-9 * pure_whole);
            }
        }
    }
    EXPECT_GE(found, 6);
    const auto order = [](std::size_t d, std::uint64_t n) {
        return crossover_trace(d, n, Rho(0.3), 1.0, beta);
    };
    EXPECT_NEAR(std::log2(order(std::size_t{1} << 41, 1000) / order(std::size_t{1} << 40, 1000)),
                1.5, 0.02);
    EXPECT_NEAR(std::log2(order(1000, 2000) / order(1000, 1000)), -1.0, 1e-9);
    EXPECT_NEAR(std::log2(crossover_trace(1U << 27, 9, Epsilon(1.0), 1.0, beta) /
                          crossover_trace(1U << 26, 9, Epsilon(1.0), 1.0, beta)),
                2.5, 0.02);
}

// It is the trace of r^2 = 1 in other units: nothing is lost where r is great or small.
TEST(ErrorBounds, CrossoverGoesWithTheSquaredNormBound) {
    for (const double r : {0x1p-300, 0x1p-200, 0x1p-20, 0x1p40, 0x1p200, 0x1p300}) {
        for (const std::size_t d : {10U, 200U}) {
            EXPECT_EQ(crossover_trace(d, 1000, Rho(0.3), r, beta) / r / r,
                      crossover_trace(d, 1000, Rho(0.3), 1.0, beta));
            EXPECT_EQ(crossover_trace(d, 1000, Epsilon(0.3), r, beta) / r / r,
                      crossover_trace(d, 1000, Epsilon(0.3), 1.0, beta));
        }
    }
    EXPECT_GT(crossover_trace(200, 1000, Rho(0.3), 1.0, beta), 0.0);
}

// False alarms as above. The error of the projection is below the smaller of two bounds: where rows
// are few the second, which grows like d^(1/4), else GaussCov's.
TEST(ErrorBounds, ProjectionHolds) {
    std::mt19937_64 engine(28);
    const Rho rho(0.5);
    for (const Eigen::Index d : {1, 2, 10, test::test_size(20, 40)}) {
        for (const std::uint64_t n : {20U, 2000U}) {
            const double noise = 1.0 / (std::sqrt(rho.value()) * static_cast<double>(n));
            const Eigen::VectorXd truth = spectrum(d, 1.0);
            const std::vector<double> errors = sample(2000, [&] {
                const test::EigenPairs eigen = test::eigen_pairs(
                    noise * wigner(d, engine) + Eigen::MatrixXd(truth.asDiagonal()));
                // The projection of the eigenvalues onto {x >= 0, sum x <= 1} by bisection.
                double low = 0.0;
                double high = eigen.values.cwiseAbs().maxCoeff();
                const auto kept = [&](double shift) {
                    return Eigen::VectorXd((eigen.values.array() - shift).max(0.0));
                };
                for (int i = 0; i < 60 && kept(0.0).sum() > 1.0; ++i) {
                    const double middle = 0.5 * (low + high);
                    (kept(middle).sum() > 1.0 ? low : high) = middle;
                }
                const double shift = kept(0.0).sum() > 1.0 ? high : 0.0;
                return (eigen.vectors * kept(shift).asDiagonal() * eigen.vectors.transpose() -
                        Eigen::MatrixXd(truth.asDiagonal()))
                    .norm();
            });
            const double bound =
                projection_error_bound(static_cast<std::size_t>(d), n, rho, 1.0, beta);
            EXPECT_FALSE(refuted(bound, errors)) << d << " " << n;
            EXPECT_TRUE(refuted(0.05 * bound, errors)) << d << " " << n;
        }
    }
    // d^(1/4) / sqrt(n).
    EXPECT_NEAR(projection_error_bound(1U << 30, 1000, rho, 1.0, beta) /
                    projection_error_bound(1U << 26, 1000, rho, 1.0, beta),
                2.0, 0.01);
    EXPECT_NEAR(projection_error_bound(1U << 26, 4000, rho, 1.0, beta) /
                    projection_error_bound(1U << 26, 1000, rho, 1.0, beta),
                0.5, 1e-9);
}

// AdaptiveCov's bound where nothing but the radius 1 can come of the table, by
// docs/bounds.md#adaptive: all rows are of one norm above 1/2, and too many to be left out. `noise`
// is the level at a threshold, for the greatest trace.
double at_radius_1(std::size_t d, double norm, double n, double alpha,
                   const std::function<double(double)>& noise) {
    double least = infinity;
    for (int t = 0; t < 40; ++t) {
        const double tau = std::exp2(-t);
        const double bias = norm > tau ? 1.0 - tau * tau : 0.0;
        least = std::min(least, bias + noise(tau));
    }
    const double integers = 1.0 + 0x1p-19 * (std::ceil(std::sqrt(static_cast<double>(d))) + 2.0);
    return 5.0 * least + 4.0 * (alpha * integers + 0x1p-28) / n;
}

// And what the program rounds.
double with_rounding(double bound, std::size_t d, double norm) {
    const double of_rows = 0x1p-15 + 0x1p-18 * std::sqrt(static_cast<double>(d));
    return (1.0 + 0x1p-15) * bound + of_rows * norm * norm;
}

TEST(AdaptiveErrorBound, IsTheTheoremsForRowsOfOneNorm) {
    struct Table {
        std::size_t d;
        std::size_t n;
        double norm;
        double epsilon;
    };
    constexpr double near = 1e-12;
    // In the last but one eigenvalues and eigenvectors apart are the better also under pure DP, and
    // the trace is known so well that its slack shows.
    int with_slack = 0;
    for (const auto& [d, n, norm, epsilon] :
         {Table{5, 100'000, 1.0, 1.0}, Table{50, 2000, 0.6, 1.0}, Table{2000, 1000, 0.51, 1e4},
          Table{100'000, 4000, 0.6, 1.0}}) {
        const std::vector<double> norms(n, norm);
        const auto rows = static_cast<double>(n);
        const double queries = static_cast<double>(d) * rows + 1.0;
        const double trace = norm * norm;

        const Rho rho(0.5);
        const double slack = 4.0 * std::sqrt(2.0 * std::log(8.0 / beta) / rho.value()) / rows;
        const double alpha = 6.0 * std::sqrt(2.0 / rho.value()) * std::log(8.0 * queries / beta);
        const auto gaussian = [&, d = d, n = n](double tau) {
            return adaptive_noise(d, n, Rho(0.25), tau, std::min(1.0, trace + slack), beta / 2.0);
        };
        const double expected = with_rounding(at_radius_1(d, norm, rows, alpha, gaussian), d, norm);
        EXPECT_NEAR(adaptive_error_bound(norms, d, rho, 1.0, beta), expected, near * expected) << d;

        const double pure_slack = 2.0 * 8.0 * std::log(4.0 / beta) / (epsilon * rows);
        const double pure_alpha = 24.0 * std::log(16.0 * queries / beta) / epsilon;
        double greatest_trace = std::min(1.0, trace + pure_slack);
        const auto laplace = [&, d = d, n = n, half = Epsilon(epsilon / 2.0)](double tau) {
            return adaptive_lap_noise(d, n, half, tau, greatest_trace, beta / 2.0);
        };
        // The release has beta / 2, and its eigenvectors half of that.
        const double not_proved = std::max(
            1.0, std::sqrt(upsilon_laplace_sharp(d, beta / 4.0) / upsilon_laplace(d, beta / 4.0)));
        EXPECT_EQ(not_proved > 1.2, d == 100'000);
        const auto pure = [&, d = d, norm = norm] {
            return with_rounding(not_proved * at_radius_1(d, norm, rows, pure_alpha, laplace), d,
                                 norm);
        };
        const double bound = adaptive_error_bound(norms, d, Epsilon(epsilon), 1.0, beta);
        EXPECT_NEAR(bound, pure(), near * bound) << d;
        greatest_trace = trace + 0.99 * pure_slack;
        with_slack += std::abs(bound - pure()) > 100.0 * near * bound ? 1 : 0;
    }
    EXPECT_EQ(with_slack, 1);  // the control
}

// Of a table with so many rows that what clipping to the trace would save is more than all noise,
// it is GaussCov's bound at half the failure probability: the other half is the projection's.
TEST(ErrorBounds, ProjectionSplitsTheFailureProbability) {
    constexpr std::uint64_t rows = 1'000'000'000'000;
    EXPECT_EQ(projection_error_bound(20, rows, Rho(0.5), 2.0, beta),
              gauss_error_bound(20, rows, Rho(0.5), 2.0, beta / 2.0));
    EXPECT_GT(projection_error_bound(20, rows, Rho(0.5), 2.0, beta),
              gauss_error_bound(20, rows, Rho(0.5), 2.0, beta));
}

// Rows of an eighth of the norm bound are known to be: it is as if that were the norm bound.
TEST(AdaptiveErrorBound, KnowsTheBallThatHoldsEveryRow) {
    const std::vector<double> norms(5000, 0.125);
    const auto is_the_same = [&](auto budget) {
        const double bound = adaptive_error_bound(norms, 4, budget, 1.0, beta);
        EXPECT_NEAR(bound, adaptive_error_bound(norms, 4, budget, 0.125, beta), 1e-9 * bound);
    };
    is_the_same(Rho(0.5));
    is_the_same(Epsilon(1.0));
}

// With as good as no noise, four longer rows may be left out, and cost what is cut off; five may
// not.
TEST(AdaptiveErrorBound, CountsTheRowsThatTheRadiusMayLeaveOut) {
    const auto bound = [](std::size_t longer) {
        std::vector<double> norms(1000, 0x1p-10);
        std::fill_n(norms.begin(), longer, 1.0);
        return adaptive_error_bound(norms, 3, Rho(1e12), 1.0, beta);
    };
    EXPECT_NEAR(bound(4), 4.0 / 1000.0, 1e-5);
    EXPECT_LT(bound(5), 1e-4);
}

// As many as docs/bounds.md#adaptive says, 4 + u (8 log(16 / beta) + 4 log(16 (2 d n + 1) / beta))
// for a search with noise in units of u: a fiftieth more or less of that is a row more or less.
TEST(AdaptiveErrorBound, CountsTheRowsThatNoiseMayLeaveOut) {
    constexpr std::size_t d = 3;
    constexpr std::size_t n = 1000;
    const auto bound_of_five = [](double rows_by_noise) {
        std::vector<double> norms(n, 0x1p-10);
        std::fill_n(norms.begin(), 5, 1.0);
        const double unit = rows_by_noise / (8.0 * std::log(16.0 / beta) +
                                             4.0 * std::log(16.0 * (2.0 * d * n + 1.0) / beta));
        const Rho rho(4.0 / (unit * unit));  // of which the search has an eighth
        return adaptive_error_bound(norms, d, rho, 1.0, beta);
    };
    EXPECT_GT(bound_of_five(1.02), 0.999 * 5.0 / n);
    EXPECT_LT(bound_of_five(0.98), 0.9 * 5.0 / n);
}

TEST(Bounds, RefuseWhatMakesNoSenseAndSayWhatDoes) {
    using testing::HasSubstr;
    using Bound = double (*)(std::size_t, double);
    for (const Bound bound : {&eta, &upsilon, &upsilon_sharp, &omega, &omega_sharp, &eta_laplace,
                              &upsilon_laplace, &upsilon_laplace_sharp, &omega_laplace}) {
        EXPECT_THAT(usage_error_of([&] { return bound(0, 0.1); }), HasSubstr("at least 1"));
        for (const double bad : {0.0, 1.0, -0.1, 1.1, nan}) {
            EXPECT_THAT(usage_error_of([&] { return bound(1, bad); }),
                        HasSubstr("give for example 0.1"));
        }
    }
    const auto adaptive_error = [](const std::vector<double>& norms, std::size_t d, double r,
                                   double failure) {
        return usage_error_of([&] { return adaptive_error_bound(norms, d, Rho(1.0), r, failure); });
    };
    const auto noise = [](std::size_t d, std::uint64_t n, double r, double trace, double failure) {
        return usage_error_of([&] { return adaptive_noise(d, n, Rho(1.0), r, trace, failure); });
    };
    EXPECT_THAT(noise(1, 1, 1.0, 1.0, 0.1), HasSubstr("no UsageError"));
    EXPECT_THAT(noise(0, 1, 1.0, 1.0, 0.1), HasSubstr("at least 1"));
    EXPECT_THAT(noise(1, 0, 1.0, 1.0, 0.1), HasSubstr("at least one"));
    for (const double bad : {0.0, 1.0, 1.5, 2.0, nan}) {  // also where half of it is asked for
        EXPECT_THAT(noise(1, 1, 1.0, 1.0, bad), HasSubstr("beta is"));
        EXPECT_THAT(
            usage_error_of([&] { return separate_error_bound(1, 1, Rho(1.0), 1.0, 1.0, bad); }),
            HasSubstr("beta is"));
        EXPECT_THAT(usage_error_of([&] {
                        return separate_lap_error_bound(1, 1, Epsilon(1.0), 1.0, 1.0, bad);
                    }),
                    HasSubstr("beta is"));
        EXPECT_THAT(
            usage_error_of([&] { return projection_error_bound(1, 1, Rho(1.0), 1.0, bad); }),
            HasSubstr("beta is"));
        EXPECT_THAT(usage_error_of([&] { return crossover_trace(1, 1, Rho(1.0), 1.0, bad); }),
                    HasSubstr("beta is"));
        EXPECT_THAT(usage_error_of([&] { return crossover_trace(1, 1, Epsilon(1.0), 1.0, bad); }),
                    HasSubstr("beta is"));
        EXPECT_THAT(adaptive_error({1.0}, 1, 1.0, bad), HasSubstr("beta is"));
    }
    for (const double bad : {0.0, -1.0, infinity, nan, 1e-200, 1e200}) {
        EXPECT_THAT(noise(1, 1, bad, 1.0, 0.1), HasSubstr("norm bound"));
        EXPECT_THAT(adaptive_error({1.0}, 1, bad, 0.1), HasSubstr("norm bound"));
        const auto told = [&](const auto& bound) { return usage_error_of(bound); };
        EXPECT_THAT(told([&] { return gauss_error_bound(1, 1, Rho(1.0), bad, 0.1); }),
                    HasSubstr("norm bound"));
        EXPECT_THAT(told([&] { return lap_error_bound(1, 1, Epsilon(1.0), bad, 0.1); }),
                    HasSubstr("norm bound"));
        EXPECT_THAT(told([&] { return crossover_trace(1, 1, Rho(1.0), bad, 0.1); }),
                    HasSubstr("norm bound"));
        EXPECT_THAT(told([&] { return crossover_trace(1, 1, Epsilon(1.0), bad, 0.1); }),
                    HasSubstr("norm bound"));
    }
    for (const double bad : {-1.0, infinity, nan}) {
        EXPECT_THAT(noise(1, 1, 1.0, bad, 0.1), HasSubstr("squared norm bound"));
    }
    EXPECT_THAT(adaptive_error({1.0}, 1, 1.0, 0.1), HasSubstr("no UsageError"));
    EXPECT_THAT(adaptive_error({}, 1, 1.0, 0.1), HasSubstr("at least one"));
    EXPECT_THAT(adaptive_error({nan}, 1, 1.0, 0.1), HasSubstr("row's norm"));
    EXPECT_THAT(adaptive_error({-1.0}, 1, 1.0, 0.1), HasSubstr("row's norm"));
    EXPECT_THAT(adaptive_error({1.0}, 0, 1.0, 0.1), HasSubstr("at least 1"));
    EXPECT_THAT(adaptive_error({1.0}, 1, infinity, 0.1), HasSubstr("norm bound"));
    EXPECT_THAT(adaptive_error({1.0}, 1, 1.0, 0.0), HasSubstr("beta is 0"));
}

}  // namespace
}  // namespace dpcov
