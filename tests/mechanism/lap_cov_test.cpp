// LapCov: its sensitivity, its exact privacy loss, the law of its noise, its variants.
#include "mechanism/lap_cov.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "dpcov/bounds.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/sensitivity.hpp"
#include "mechanism/separate_cov.hpp"
#include "privacy/budget_meter.hpp"
#include "random/statistics.hpp"
#include "shown_epsilon.hpp"
#include "support/decompositions.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using detail::full_weight;
using detail::gram_l1_sensitivity;

constexpr NoiseLaw laws[] = {NoiseLaw::wigner, NoiseLaw::isotropic};

// What an entry off the diagonal counts in the norm of the law: the ratio of the two scales.
long double weight(NoiseLaw law) {
    return law == NoiseLaw::isotropic ? std::sqrt(2.0L) : 1.0L;
}

long double l1_distance(const detail::PackedGram& a, const detail::PackedGram& b,
                        long double off_diagonal) {
    long double sum = 0.0L;
    std::size_t entry = 0;
    for (std::size_t j = 0; entry < a.size(); ++j) {
        for (std::size_t i = 0; i <= j; ++i, ++entry) {
            sum += (i < j ? off_diagonal : 1.0L) *
                   std::abs(static_cast<long double>(a[entry] - b[entry]));
        }
    }
    return sum;
}

// Two unit vectors that are hard for the law: from a start, x and y are moved in turn to the ends
// of the spectrum of the signs of x x^T - y y^T, which never lessens the distance.
std::pair<Rows, Rows> hard_pair(std::size_t d, NoiseLaw law, Eigen::VectorXd x, Eigen::VectorXd y) {
    const double off = 0.5 * static_cast<double>(weight(law));
    for (int step = 0; step < 50; ++step) {
        Eigen::MatrixXd signs = (x * x.transpose() - y * y.transpose()).cwiseSign();
        const Eigen::VectorXd diagonal = signs.diagonal();
        signs *= off;
        signs.diagonal() = diagonal;
        const auto [values, vectors] = eigen_pairs(signs);
        const auto order = static_cast<Eigen::Index>(d);
        x = vectors.col(order - 1) * (values[order - 1] > 0.0 ? 1.0 : 0.0);
        y = vectors.col(0) * (values[0] < 0.0 ? 1.0 : 0.0);
    }
    return {Rows(x.begin(), x.end()), Rows(y.begin(), y.end())};
}

// Replacement rows: hard pairs from many starts, axes, zero, random rows, and rows far below and
// above the bound, where the Gram is rounded.
Rows adversarial_rows(std::size_t d, NoiseLaw law) {
    std::mt19937_64 generator(150 + d);
    std::normal_distribution<double> normal;
    Rows rows(d, 0.0);
    const auto random_vector = [&] {
        return Eigen::VectorXd::NullaryExpr(static_cast<Eigen::Index>(d),
                                            [&] { return normal(generator); });
    };
    for (int start = 0; start < 15; ++start) {
        const auto [x, y] = hard_pair(d, law, random_vector(), random_vector());
        rows = rows + x + y;
    }
    // Half of the columns against the other: near the worst for even d.
    Eigen::VectorXd x(static_cast<Eigen::Index>(d));
    Eigen::VectorXd y(static_cast<Eigen::Index>(d));
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        x[i] = 2 * i < x.size() ? 2.0 : 1.0;
        y[i] = 2 * i < x.size() ? -1.0 : 2.0;
    }
    const auto [top, bottom] = hard_pair(d, law, x, y);
    rows = rows + top + bottom + sphere_rows(10, d, 1.0, 151) + sphere_rows(5, d, 3.0, 152);
    for (int k = 1; k < 20; ++k) rows = rows + sphere_rows(1, d, std::ldexp(0.9, -k), 153);
    return rows;
}

struct Farthest {
    long double l1 = 0.0L;
    detail::PackedGram a;
    detail::PackedGram b;
};

// The two neighbours' Grams that the search finds farthest apart.
Farthest farthest_neighbours(std::size_t d, NoiseLaw law, int clip_exponent) {
    const Rows shared = sphere_rows(20, d, 0.3, 154) + sphere_rows(20, d, 1e-6, 155);
    std::vector<detail::PackedGram> grams;
    for (const detail::SecretMoment& moment : neighbours(shared, adversarial_rows(d, law), d)) {
        grams.push_back(detail::clipped_gram(moment, clip_exponent));
    }
    Farthest farthest;
    for (std::size_t b = 1; b < grams.size(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            const long double l1 = l1_distance(grams[a], grams[b], weight(law));
            if (l1 > farthest.l1) farthest = {l1, grams[a], grams[b]};
        }
    }
    return farthest;
}

// On integer tables: no pair of neighbours is farther apart than the sensitivity. Control: for the
// isotropic law nine tenths of it are exceeded. The paper's counts every entry twice: half of it
// and no less is reached as d grows, and at d = 1 its root of two is never used.
TEST(LapCovSensitivity, IsNotExceededByAnyNeighboursFound) {
    for (const std::size_t d : {1U, 2U, 3U, 4U, 6U, 11U}) {
        for (const int clip_exponent : {0, 2}) {
            for (const NoiseLaw law : laws) {
                const long double found = farthest_neighbours(d, law, clip_exponent).l1;
                const double bound = gram_l1_sensitivity(Neighbours::replace, law, d);
                EXPECT_LE(found, bound) << d;
                EXPECT_GT(found, (law == NoiseLaw::isotropic ? 0.9 : 0.5) * bound) << d;
            }
        }
    }
}

// The proofs' formulas, with the Gram's rounding by less than a unit an entry on either side.
TEST(LapCovSensitivity, IsNotBelowItsProof) {
    for (std::size_t d = 1; d <= 100000; d += d < 3000 ? 1 : 997) {
        const auto order = static_cast<long double>(d);
        const long double pairs = order * (order - 1.0L) / 2.0L;
        EXPECT_GE(gram_l1_sensitivity(Neighbours::replace, NoiseLaw::wigner, d),
                  std::sqrt(2.0L) * order * 0x1p64L + 2.0L * (order + pairs));
        const long double exact = d == 1 ? 1.0L : std::sqrt(order * (order + 1.0L));
        const long double bound = exact * 0x1p64L + 4.0L / 3.0L * (order + std::sqrt(2.0L) * pairs);
        EXPECT_GE(gram_l1_sensitivity(Neighbours::replace, NoiseLaw::isotropic, d), bound);
        EXPECT_LT(gram_l1_sensitivity(Neighbours::replace, NoiseLaw::isotropic, d),
                  bound * (1.0L + 0x1p-30L));
    }
}

long double as_real(LaplaceScale scale) {
    return static_cast<long double>(scale.numerator) / static_cast<long double>(scale.denominator);
}

// log P(Gram a gives `output`) - log P(Gram b gives it), from the product of discrete Laplace laws.
long double log_ratio(const detail::PackedGram& output, const detail::PackedGram& a,
                      const detail::PackedGram& b, const SymmetricLaplaceNoise& noise) {
    long double sum = 0.0L;
    std::size_t entry = 0;
    for (std::size_t j = 0; entry < a.size(); ++j) {
        for (std::size_t i = 0; i <= j; ++i, ++entry) {
            const auto to_a = static_cast<long double>(output[entry] - a[entry]);
            const auto to_b = static_cast<long double>(output[entry] - b[entry]);
            sum += (std::abs(to_b) - std::abs(to_a)) /
                   as_real(i < j ? noise.off_diagonal : noise.diagonal);
        }
    }
    return sum;
}

// Deterministic: the exact log-ratio of the probabilities of outputs, between the Grams, at them
// and far beyond (where it is greatest), over the worst neighbours found. Half the noise is caught.
TEST(LapCovPrivacyLoss, IsAtMostEpsilonAtEveryOutput) {
    for (const std::size_t d : {1U, 2U}) {
        for (const NoiseLaw law : laws) {
            const Farthest pair = farthest_neighbours(d, law, 0);
            for (const double epsilon : {1e-6, 0.1, 0.8, 3.0, 50.0}) {
                const double scale = detail::laplace_noise_scale(
                    gram_l1_sensitivity(Neighbours::replace, law, d), Epsilon(epsilon));
                const auto greatest = [&](double b) {
                    const SymmetricLaplaceNoise noise = symmetric_laplace_noise(law, b);
                    std::mt19937_64 generator(156);
                    std::uniform_int_distribution<int> tenths(-20, 30);
                    long double most = log_ratio(pair.a, pair.a, pair.b, noise);
                    for (int i = 0; i < 1000; ++i) {
                        detail::PackedGram output = pair.a;
                        for (std::size_t e = 0; e < output.size(); ++e) {
                            output[e] += (pair.b[e] - pair.a[e]) / 10 * tenths(generator);
                        }
                        most = std::max({most, log_ratio(output, pair.a, pair.b, noise),
                                         log_ratio(output, pair.b, pair.a, noise)});
                    }
                    return most;
                };
                EXPECT_LE(greatest(scale), epsilon) << d;
                EXPECT_GT(greatest(scale), (law == NoiseLaw::isotropic ? 0.99 : 0.7) * epsilon)
                    << d;
                if (law == NoiseLaw::isotropic || d == 1) {
                    EXPECT_GT(greatest(0.5 * scale), epsilon) << "control, " << d;
                }
            }
        }
    }
}

// Seen from outside, on {0, 0} against {0, 1}: no event shows more than epsilon. False alarm: 1e-6.
// Control: twice epsilon is found out.
TEST(LapCovPrivacyLoss, ShownByReleasesStaysBelowEpsilon) {
    constexpr std::size_t draws = 50000;
    constexpr double epsilon = 1.0;
    const auto shown = [&](double spent) {
        const std::vector<double> thresholds = {-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5};
        const auto count = [&](const detail::SecretMoment& moment, std::uint64_t seed) {
            std::vector<std::size_t> counts(thresholds.size());
            SeededRandomSource random(seed);
            for (std::size_t i = 0; i < draws; ++i) {
                const double value =
                    detail::noisy_second_moment(detail::counted_openly(moment), 0, Epsilon(spent),
                                                NoiseLaw::isotropic, random)
                        .matrix(0, 0);
                for (std::size_t t = 0; t < counts.size(); ++t) {
                    counts[t] += value > thresholds[t] ? 1 : 0;
                }
            }
            return counts;
        };
        const auto x = count(moment_of({0.0, 0.0}, 1), 157);
        const auto y = count(moment_of({0.0, 1.0}, 1), 158);
        const double alpha = false_alarm / (4.0 * static_cast<double>(thresholds.size()));
        double most = 0.0;
        for (std::size_t t = 0; t < x.size(); ++t) {
            most = std::max({most, shown_epsilon(y[t], x[t], draws, 0.0, alpha),
                             shown_epsilon(draws - x[t], draws - y[t], draws, 0.0, alpha)});
        }
        return most;
    };
    EXPECT_LE(shown(epsilon), epsilon);
    EXPECT_GT(shown(epsilon), 0.8 * epsilon);
    EXPECT_GT(shown(2.0 * epsilon), epsilon);
}

// |Laplace| over its scale is exponential, so twice the sum of m of them is chi-square with 2 m
// degrees of freedom. False alarm: 2e-6.
double scale_p_value(double sum_of_sizes, double scale, std::size_t count) {
    const double above = chi_square_tail(2.0 * sum_of_sizes / scale, 2 * count);
    return 2.0 * std::min(above, 1.0 - above);
}

TEST(LapCov, NoiseHasItsScales) {
    constexpr std::size_t d = 4;
    constexpr std::size_t n = 60;
    constexpr double epsilon = 0.4;
    const double bound = 2.0;
    const Rows rows = sphere_rows(n, d, 0.7 * bound, 160, 0.8);
    const detail::SecretMoment moment = moment_of(rows, d, bound);
    for (const int clip_exponent : {0, 1}) {
        const double tau = std::ldexp(bound, -clip_exponent);
        const Eigen::MatrixXd truth = covariance_of(clipped(rows, d, tau), d);
        for (const NoiseLaw law : laws) {
            constexpr std::size_t runs = 5000;
            double diagonal = 0.0;
            double off_diagonal = 0.0;
            SeededRandomSource random(161);
            for (std::size_t run = 0; run < runs; ++run) {
                const Eigen::MatrixXd noise =
                    detail::noisy_second_moment(detail::counted_openly(moment), clip_exponent,
                                                Epsilon(epsilon), law, random)
                        .matrix -
                    truth;
                for (Eigen::Index j = 0; j < noise.cols(); ++j) {
                    for (Eigen::Index i = 0; i < j; ++i) off_diagonal += std::abs(noise(i, j));
                    diagonal += std::abs(noise(j, j));
                }
            }
            // By hand: sqrt(2) d tau^2 / (epsilon n), or sqrt(d (d + 1)) in place of sqrt(2) d.
            const double unit = tau * tau / (epsilon * n);
            const double b =
                (law == NoiseLaw::wigner ? std::sqrt(2.0) * d : std::sqrt(20.0)) * unit;
            const double rest = law == NoiseLaw::wigner ? b : b / std::sqrt(2.0);
            EXPECT_GT(scale_p_value(diagonal, b, runs * d), false_alarm);
            EXPECT_GT(scale_p_value(off_diagonal, rest, runs * 6), false_alarm);
            // Controls: a scale off by 5 %.
            EXPECT_LT(scale_p_value(diagonal, 1.05 * b, runs * d), false_alarm);
            EXPECT_LT(scale_p_value(off_diagonal, 0.95 * rest, runs * 6), false_alarm);
        }
    }
}

TEST(LapCov, SpendsAllOfEpsilonOnTheMatrix) {
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 3, 1.0, 162), 3);
    const Release release = run("laplace", moment, Epsilon(0.8), Variant::best, 163);
    ASSERT_EQ(release.stages.size(), 1U);
    EXPECT_EQ(std::get<Epsilon>(release.stages[0].spent).value(), 0.8);
    EXPECT_EQ(release.stages[0].name, "covariance");
    EXPECT_GT(release.grid, 0.0);
}

TEST(LapCov, TreatsItsSpectrumAsTheVariantSays) {
    const double bound = 2.0;
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 12, 1.5, 164), 12, bound);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto values = [&](Variant variant) {
            return spectrum(run("laplace", moment, Epsilon(0.1), variant, seed).covariance);
        };
        // Noise of scale 23: far outside.
        EXPECT_LT(values(Variant::paper).minCoeff(), -1.0);
        EXPECT_GT(values(Variant::paper).maxCoeff(), 2.0 * bound * bound);
        EXPECT_GT(values(Variant::published).minCoeff(), -1e-12);
        EXPECT_NEAR(values(Variant::published).maxCoeff(), bound * bound, 1e-12);
        EXPECT_GT(values(Variant::published).sum(), 1.5 * bound * bound);
        EXPECT_GT(values(Variant::best).minCoeff(), -1e-12);
        EXPECT_NEAR(values(Variant::best).sum(), bound * bound, 1e-12);
    }
}

// E|N|_F = 2 d^2 (tau^2 / (epsilon n)) in root mean square for the paper's noise, d (d + 1) for the
// isotropic; fourth moments of Laplace are 6 times the squared second, so over `runs` the ratio
// deviates by less than sqrt(6 / (D runs)), 1 %. And nothing is projected at this budget.
TEST(LapCov, ErrsByItsNoise) {
    constexpr std::size_t d = 8;
    constexpr std::size_t n = 500;
    const Rows rows = sphere_rows(n, d, 0.9, 165);
    const detail::SecretMoment moment = moment_of(rows, d);
    const Eigen::MatrixXd truth = covariance_of(rows, d);
    constexpr double epsilon = 40.0;
    for (const Variant variant : {Variant::paper, Variant::best}) {
        double squares = 0.0;
        constexpr int runs = 2000;
        for (std::uint64_t seed = 0; seed < runs; ++seed) {
            const Release release = run("laplace", moment, Epsilon(epsilon), variant, seed);
            squares += (release.covariance - truth).squaredNorm() / runs;
            if (variant == Variant::paper) {
                EXPECT_NEAR(release.estimated_frobenius_error.value(), 2.0 * d * d / (epsilon * n),
                            1e-9);
            } else {
                EXPECT_FALSE(release.estimated_frobenius_error);
            }
        }
        const double expected =
            (variant == Variant::paper ? 2.0 * d * d : d * (d + 1.0)) / (epsilon * n);
        EXPECT_NEAR(std::sqrt(squares) / expected, 1.0, 0.05);
    }
}

// With enough budget any variant is the covariance.
TEST(LapCov, IsTheCovarianceButForNoise) {
    for (const std::size_t d : {1U, 2U, 7U}) {
        const Rows rows = sphere_rows(50, d, 0.6, 166);
        for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
            const Release release = run("laplace", moment_of(rows, d), Epsilon(1e9), variant, 167);
            EXPECT_LT((release.covariance - covariance_of(rows, d)).norm(), 1e-5) << d;
        }
    }
}

// --- SeparateCov and the rest under pure DP ---------------------------------------------------

// The eigenvalues of neighbours' Grams, as integers from LAPACK, stay within the l1 sensitivity.
// {e1, ...} against {e2, ...} reaches all of 2 full weights; control: 0.99 of it.
TEST(PureSeparateCov, EigenvaluesMoveByNoMoreThanTheirSensitivity) {
    for (const std::size_t d : {1U, 2U, 3U, 6U, 11U}) {
        const Rows shared = sphere_rows(20, d, 0.3, 170);
        Rows replacements = adversarial_rows(d, NoiseLaw::isotropic);
        for (std::size_t column = 0; column < std::min<std::size_t>(d, 2); ++column) {
            Rows axis(d, 0.0);
            axis[column] = 1.0;
            replacements = replacements + axis;
        }
        // One direction dominates the shared rows, so that eigenvalues keep apart.
        Rows spike(d * 30, 0.0);
        for (std::size_t i = 0; i < 30; ++i) spike[i * d] = 1.0;
        std::vector<Eigen::VectorXd> values;
        for (const detail::SecretMoment& moment : neighbours(shared + spike, replacements, d)) {
            values.push_back(
                spectrum(detail::symmetric_matrix(detail::clipped_gram(moment, 0), d, 1.0)));
        }
        double farthest = 0.0;
        for (const Eigen::VectorXd& a : values) {
            for (const Eigen::VectorXd& b : values) {
                farthest = std::max(farthest, (a - b).cwiseAbs().sum());
            }
        }
        const double bound = detail::eigenvalue_sensitivity(Neighbours::replace, d, 51.0).l1;
        EXPECT_LE(farthest, bound) << d;
        EXPECT_LT(bound, 2.0 * full_weight * (1.0 + 1e-6));
        if (d > 1) {
            EXPECT_GT(farthest, 0.99 * bound) << d;
        }
    }
    // What it has beyond 2 full weights for LAPACK, by hand at d = 100, n = 10^6:
    // 2 * 16 d^2 2^-53 n full weights.
    EXPECT_NEAR(
        detail::eigenvalue_sensitivity(Neighbours::replace, 100, 1e6).l1 / full_weight - 2.0,
        32.0 * 1e4 * 1e6 * 0x1p-53, 1e-6);
}

// Eigenvalues 0.4, 0.3, 0.2, 0.1 with gaps of many scales. False alarm: 1e-6.
TEST(PureSeparateCov, EigenvalueNoiseHasItsScale) {
    Rows rows;
    for (std::size_t i = 0; i < 1000; ++i) {
        const std::size_t column = i % 10 < 4 ? 0 : i % 10 < 7 ? 1 : i % 10 < 9 ? 2 : 3;
        for (std::size_t j = 0; j < 4; ++j) rows.push_back(j == column ? 1.0 : 0.0);
    }
    const detail::SecretMoment moment = moment_of(rows, 4);
    constexpr double epsilon = 2.0;
    constexpr std::size_t runs = 5000;
    double sizes = 0.0;
    SeededRandomSource random(171);
    for (std::size_t i = 0; i < runs; ++i) {
        const auto estimate = detail::separate_estimate<Epsilon>(
            detail::counted_openly(moment), 0,
            {Epsilon(epsilon).share(1, 1), Epsilon(epsilon).share(1, 1)}, Variant::paper, random);
        sizes +=
            (spectrum(estimate.covariance) - Eigen::Vector4d(0.1, 0.2, 0.3, 0.4)).cwiseAbs().sum();
        EXPECT_FALSE(estimate.estimated_squared_error);
    }
    const double scale = 2.0 / (1000.0 * 0.5 * epsilon);
    EXPECT_GT(scale_p_value(sizes, scale, 4 * runs), false_alarm);
    EXPECT_LT(scale_p_value(sizes, 0.5 * scale, 4 * runs), false_alarm);  // control: all of epsilon
    EXPECT_LT(scale_p_value(sizes, 0.95 * scale, 4 * runs), false_alarm);
}

TEST(PureSeparateCov, SplitsTheBudgetInHalves) {
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 3, 1.0, 172), 3);
    for (const char* method : {"separate", "clip-separate"}) {
        ReleaseOptions options;
        if (find_method(method).needs_clip) options.clip = 0.5;
        const Release release = run(method, moment, Epsilon(0.1), options, 173);
        ASSERT_EQ(release.stages.size(), 2U);
        EXPECT_EQ(std::get<Epsilon>(release.stages[0].spent).value(), 0.05);
        EXPECT_EQ(std::get<Epsilon>(release.stages[1].spent).value(), 0.05);
        EXPECT_FALSE(release.estimated_frobenius_error);
    }
}

TEST(PureSeparateCov, IsTheCovarianceButForNoise) {
    for (const std::size_t d : {1U, 2U, 7U}) {
        const Rows rows = sphere_rows(50, d, 0.6, 174, 0.7);
        for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
            const Release release = run("separate", moment_of(rows, d), Epsilon(1e9), variant, 175);
            EXPECT_LT((release.covariance - covariance_of(rows, d)).norm(), 1e-4) << d;
        }
    }
}

// mean + rest add up to epsilon, never more; the mean's noise has the scale
// 2 sqrt(d) B / (n epsilon w).
TEST(PureCentered, StagesAddUpAndTheMeanHasItsNoise) {
    for (const std::size_t d : {1U, 2U, 8U, 50U}) {
        const detail::SecretMoment moment = moment_of(sphere_rows(20, d, 1.0, 176), d);
        ReleaseOptions options;
        options.center = true;
        for (const char* method : {"laplace", "separate", "adaptive"}) {
            const Release release = run(method, moment, Epsilon(0.3), options, 177);
            EXPECT_EQ(release.stages.at(0).name, "mean");
            const double balance = std::cbrt(16.0 / std::pow(static_cast<double>(d) + 1.0, 2));
            EXPECT_NEAR(std::get<Epsilon>(release.stages[0].spent).value() / 0.3,
                        balance / (1.0 + balance), 1.0 / 64.0);
            detail::EpsilonMeter meter{Epsilon(0.3)};
            for (const Stage<Budget>& stage : release.stages) {
                EXPECT_NO_THROW((void)meter.spend(stage.name, std::get<Epsilon>(stage.spent), ""));
            }
            EXPECT_GT(spent(release), 0.3 * (1.0 - 1e-12));
        }
    }
    // Rows at 0.5 and at 1 / 2 - 0.4: with so large a budget the truth but for noise.
    const Rows rows = {0.5, 0.1, 0.3, 0.1, 0.5, 0.2};
    ReleaseOptions options;
    options.center = true;
    const Release release = run("laplace", moment_of(rows, 2), Epsilon(1e9), options, 178);
    EXPECT_LT((release.covariance - centred_covariance_of(rows, 2)).norm(), 1e-5);
}

}  // namespace
}  // namespace dpcov::test
