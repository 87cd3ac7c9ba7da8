// WishartCov: its sensitivity, the privacy loss of its releases, the size of its noise.
#include "mechanism/wishart_cov.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "mechanism/clipped_gram.hpp"
#include "mechanism/sensitivity.hpp"
#include "random/statistics.hpp"
#include "shown_epsilon.hpp"
#include "support/decompositions.hpp"
#include "support/test_size.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using detail::full_weight;
using detail::gram_nuclear_sensitivity;

// No pair of neighbours' integer Grams is farther apart in the nuclear norm: axes, opposite and
// random rows, zero, rows beyond the bound and far below it, where Grams are rounded. Control: two
// axes, or a row and none for d = 1, exceed 0.999 of it.
TEST(WishartCovSensitivity, IsNotExceededByAnyNeighboursFound) {
    for (const std::size_t d : {1U, 2U, 3U, 6U, 11U}) {
        const Rows shared = sphere_rows(20, d, 0.3, 180) + sphere_rows(20, d, 1e-6, 181);
        Rows replacements(d, 0.0);
        for (std::size_t column = 0; column < std::min<std::size_t>(d, 3); ++column) {
            for (const double size : {1.0, -1.0, 0.5, 3.0}) {
                Rows axis(d, 0.0);
                axis[column] = size;
                replacements = replacements + axis;
            }
        }
        replacements = replacements + sphere_rows(15, d, 1.0, 182);
        for (int k = 1; k < 20; ++k) {
            replacements = replacements + sphere_rows(1, d, std::ldexp(0.9, -k), 183);
        }
        for (const int clip_exponent : {0, 2}) {
            std::vector<detail::PackedGram> grams;
            for (const detail::SecretMoment& moment : neighbours(shared, replacements, d)) {
                grams.push_back(detail::clipped_gram(moment, clip_exponent));
            }
            double farthest = 0.0;
            for (const detail::PackedGram& a : grams) {
                for (const detail::PackedGram& b : grams) {
                    detail::PackedGram difference = a;
                    for (std::size_t e = 0; e < a.size(); ++e) difference[e] -= b[e];
                    farthest = std::max(
                        farthest,
                        spectrum(detail::symmetric_matrix(difference, d, 1.0)).cwiseAbs().sum());
                }
            }
            const double bound = gram_nuclear_sensitivity(Neighbours::replace, d);
            EXPECT_LE(farthest, bound) << d;
            EXPECT_GT(farthest, 0.999 * bound) << d;
        }
    }
}

TEST(WishartCovSensitivity, IsNotBelowItsProof) {
    EXPECT_GE(gram_nuclear_sensitivity(Neighbours::replace, 1), full_weight + 2.0);
    for (std::size_t d = 2; d <= 100000; d += d < 3000 ? 1 : 997) {
        const auto order = static_cast<long double>(d);
        const long double bound = 0x1p65L + 2.0L * order * std::sqrt(order);
        EXPECT_GE(gram_nuclear_sensitivity(Neighbours::replace, d), bound);
        EXPECT_LT(gram_nuclear_sensitivity(Neighbours::replace, d), bound * (1.0L + 0x1p-40L));
    }
}

// --- Privacy loss, seen from outside ------------------------------------------------------------

struct WishartPair {
    std::size_t d;
    Rows x;
    Rows y;
};

// Neighbours of two rows each that are as far apart as can be.
const std::vector<WishartPair>& wishart_pairs() {
    static const std::vector<WishartPair> all = {{1, {0.0, 0.0}, {0.0, 1.0}},
                                                 {2, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}}};
    return all;
}

// One of the two tables, as a mechanism gets it and openly.
struct WishartTable {
    detail::SecretMoment moment;
    Eigen::MatrixXd covariance;
};

using DrawMatrix = std::function<Eigen::MatrixXd(const WishartTable& table, RandomSource& random)>;

// The greatest epsilon that events of `released` prove: the least eigenvalue of released - Sigma_X
// or - Sigma_Y, or u^T released u - v^T released v for the two rows u and v, below or above fixed
// thresholds. Wrong with probability below false_alarm, whatever the number of draws.
double epsilon_shown(const WishartPair& pair, const DrawMatrix& draw, double noise_scale,
                     std::uint64_t seed) {
    const std::size_t draws = test_size<std::size_t>(10000, 40000);
    constexpr int thresholds = 41;
    constexpr int middle = thresholds / 2;
    constexpr std::size_t statistics = 3;
    const Eigen::MatrixXd on_x = covariance_of(pair.x, pair.d);
    const Eigen::MatrixXd on_y = covariance_of(pair.y, pair.d);
    const auto count = [&](const Rows& rows, std::uint64_t stream) {
        const WishartTable table = {moment_of(rows, pair.d), covariance_of(rows, pair.d)};
        std::vector<std::size_t> below(statistics * thresholds);
        SeededRandomSource random(seed, stream);
        for (std::size_t i = 0; i < draws; ++i) {
            const Eigen::MatrixXd released = draw(table, random);
            const double values[statistics] = {
                spectrum(released - on_x).minCoeff(), spectrum(released - on_y).minCoeff(),
                ((on_x - on_y).array() * (released - on_x).array()).sum()};
            for (std::size_t s = 0; s < statistics; ++s) {
                for (int t = 0; t < thresholds; ++t) {
                    const double threshold = 0.5 * (t - middle) * noise_scale;
                    below[s * thresholds + static_cast<std::size_t>(t)] +=
                        values[s] < threshold ? 1 : 0;
                }
            }
        }
        return below;
    };
    const auto x = count(pair.x, 0);
    const auto y = count(pair.y, 1);
    // Four statements an event, each with two limits.
    const double alpha = false_alarm / (8.0 * statistics * thresholds);
    double most = 0.0;
    for (std::size_t e = 0; e < x.size(); ++e) {
        most = std::max({most, shown_epsilon(x[e], y[e], draws, 0.0, alpha),
                         shown_epsilon(y[e], x[e], draws, 0.0, alpha),
                         shown_epsilon(draws - x[e], draws - y[e], draws, 0.0, alpha),
                         shown_epsilon(draws - y[e], draws - x[e], draws, 0.0, alpha)});
    }
    return most;
}

// Two-sided noise shows no more than epsilon. Controls, by the same events: three
// times the budget, and one-sided noise P - E P of the same scale, which has no epsilon at all:
// where released - Sigma_X + E P is not positive definite, X is ruled out. False alarm: 1e-6 each.
TEST(WishartCovPrivacyLoss, ShownByReleasesStaysBelowEpsilon) {
    constexpr double epsilon = 1.0;
    for (const WishartPair& pair : wishart_pairs()) {
        const auto order = static_cast<double>(pair.d);
        const double c = (pair.d == 1 ? 0.5 : 1.0) / (2.0 * epsilon);  // two rows of the unit ball
        const auto two_sided = [](double spent) {
            return [spent](const WishartTable& table, RandomSource& random) {
                return detail::wishart_covariance(detail::counted_openly(table.moment), 0,
                                                  Epsilon(spent), random)
                    .matrix;
            };
        };
        const DrawMatrix one_sided = [&](const WishartTable& table, RandomSource& random) {
            const Eigen::Index dd = table.covariance.rows();
            Eigen::MatrixXd g(dd, dd + 1);
            for (double& z : g.reshaped()) {
                z = std::ldexp(static_cast<double>(lazy_normal(random).floor), -55);
            }
            Eigen::MatrixXd released = table.covariance + c * g * g.transpose();
            released.diagonal().array() -= c * (order + 1.0);
            return released;
        };
        const double shown = epsilon_shown(pair, two_sided(epsilon), c, 184);
        EXPECT_LE(shown, epsilon) << pair.d;
        if (pair.d == 1) {
            // Laplace: "above the full row" has the probabilities 1/2 and exp(-epsilon)/2. Limits
            // six deviations off show 0.82 of epsilon, or 0.91 at full size, with a deviation of
            // 0.023 or 0.012.
            EXPECT_GT(shown, test_size(0.65, 0.8) * epsilon);
        }
        EXPECT_GT(epsilon_shown(pair, two_sided(3.0 * epsilon), c, 185), epsilon) << pair.d;
        EXPECT_GT(epsilon_shown(pair, one_sided, c, 186), 2.0 * epsilon) << pair.d;
    }
}

// --- Size and form ------------------------------------------------------------------------------

// E |N|_F^2 = 2 c^2 d (d + 1)^2 with c = tau^2 / (epsilon n), by hand. Over 20,000 runs the mean of
// |N|_F^2 deviates by 0.5 % (its own deviation is at most 0.7 of its mean here), so 3 % is 6.
TEST(WishartCov, NoiseHasItsSize) {
    constexpr std::size_t d = 4;
    constexpr std::size_t n = 60;
    constexpr double epsilon = 0.4;
    const double bound = 2.0;
    const Rows rows = sphere_rows(n, d, 0.7 * bound, 187, 0.8);
    const detail::SecretMoment moment = moment_of(rows, d, bound);
    for (const int clip_exponent : {0, 1}) {
        const double tau = std::ldexp(bound, -clip_exponent);
        const Eigen::MatrixXd truth = covariance_of(clipped(rows, d, tau), d);
        constexpr int runs = 20000;
        double squares = 0.0;
        double deviation = 0.0;
        const double c = tau * tau / (epsilon * n);
        const double expected = 2.0 * c * c * d * (d + 1.0) * (d + 1.0);
        SeededRandomSource random(188);
        for (int run = 0; run < runs; ++run) {
            const auto noisy = detail::wishart_covariance(detail::counted_openly(moment),
                                                          clip_exponent, Epsilon(epsilon), random);
            const double s = 2.0 * c * std::sqrt(d + 1.0);
            EXPECT_NEAR(noisy.deviation, s, 1e-12 * s);
            const double ratio = (noisy.matrix - truth).squaredNorm() / expected;
            squares += ratio / runs;
            deviation += (ratio - 1.0) * (ratio - 1.0) / runs;
        }
        EXPECT_LT(std::sqrt(deviation), 0.85);
        EXPECT_NEAR(squares, 1.0, 0.03);
    }
}

TEST(WishartCov, LiesOnItsPublicGrid) {
    ReleaseOptions options;
    options.variant = Variant::paper;
    double grid = 0.0;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const detail::SecretMoment moment =
            moment_of(sphere_rows(30, 5, 0.1 * double(seed), seed), 5);
        const Release release = run("wishart", moment, Epsilon(0.8), options, seed);
        EXPECT_TRUE(grid == 0.0 || grid == release.grid);  // whatever the table
        grid = release.grid;
        double off_other_grid = 0.0;
        for (const double entry : release.covariance.reshaped()) {
            EXPECT_NEAR(entry / grid, std::round(entry / grid), 1e-6);
            const double other = entry / (1.5 * grid);  // control
            off_other_grid = std::max(off_other_grid, std::fabs(other - std::round(other)));
        }
        EXPECT_GT(off_other_grid, 0.3);
    }
}

TEST(WishartCov, SpendsAllOfEpsilonOnTheMatrix) {
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 3, 1.0, 189), 3);
    const Release release = run("wishart", moment, Epsilon(0.8), Variant::best, 190);
    ASSERT_EQ(release.stages.size(), 1U);
    EXPECT_EQ(std::get<Epsilon>(release.stages[0].spent).value(), 0.8);
    EXPECT_FALSE(release.estimated_frobenius_error);
    // The paper variant knows the size of its noise: sqrt(2 d) (d + 1) / (epsilon n).
    EXPECT_NEAR(
        run("wishart", moment, Epsilon(0.8), Variant::paper, 190).estimated_frobenius_error.value(),
        std::sqrt(6.0) * 4.0 / (0.8 * 30.0), 1e-9);
}

// Without an error of its own it says so where it must: at a budget that hides everything nearly
// always, and then zero is nearer; never at one that hides nothing. Wishart noise makes it say so
// in 0.903 of 300 releases, Laplace noise in all: of 60, 54 with a deviation of 2.3, four of which
// are allowed.
TEST(WishartCov, SaysWhereZeroIsNearer) {
    const Rows rows = sphere_rows(500, 6, 0.5, 190);
    const detail::SecretMoment moment = moment_of(rows, 6);
    const Eigen::MatrixXd truth = covariance_of(rows, 6);
    for (const char* method : {"wishart", "laplace"}) {
        int told = 0;
        for (std::uint64_t seed = 191; seed < 251; ++seed) {
            const Release hidden = run(method, moment, Epsilon(1e-3), Variant::best, seed);
            if (hidden.worse_than_zero) {
                ++told;
                EXPECT_GT((hidden.covariance - truth).norm(), truth.norm()) << method;
            }
            EXPECT_FALSE(run(method, moment, Epsilon(1e3), Variant::best, seed).worse_than_zero)
                << method;
        }
        EXPECT_GE(told, std::string(method) == "laplace" ? 59 : 45) << method;
    }
}

TEST(WishartCov, TreatsItsSpectrumAsTheVariantSays) {
    const double bound = 2.0;
    const detail::SecretMoment moment = moment_of(sphere_rows(30, 12, 1.5, 191), 12, bound);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto values = [&](Variant variant) {
            return spectrum(run("wishart", moment, Epsilon(0.1), variant, seed).covariance);
        };
        EXPECT_LT(values(Variant::paper).minCoeff(), -1.0);
        EXPECT_GT(values(Variant::paper).maxCoeff(), 2.0 * bound * bound);
        EXPECT_GT(values(Variant::published).minCoeff(), -1e-12);
        EXPECT_NEAR(values(Variant::published).maxCoeff(), bound * bound, 1e-12);
        EXPECT_GT(values(Variant::published).sum(), 1.5 * bound * bound);
        EXPECT_GT(values(Variant::best).minCoeff(), -1e-12);
        EXPECT_NEAR(values(Variant::best).sum(), bound * bound, 1e-12);
    }
}

TEST(WishartCov, IsTheCovarianceButForNoise) {
    for (const std::size_t d : {1U, 2U, 7U}) {
        const Rows rows = sphere_rows(50, d, 0.6, 192);
        for (const bool center : {false, true}) {
            for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
                ReleaseOptions options;
                options.variant = variant;
                options.center = center;
                const Release release =
                    run("wishart", moment_of(rows, d), Epsilon(1e9), options, 193);
                const Eigen::MatrixXd truth =
                    center ? centred_covariance_of(rows, d) : covariance_of(rows, d);
                EXPECT_LT((release.covariance - truth).norm(), 1e-5) << d;
            }
        }
    }
}

// Root mean squares at d = 20 and nothing projected: sqrt(2 d) (d + 1) to d (d + 1), 0.316. The
// other way round at d = 1 and 2 the rule keeps to Laplace noise, whose law is as small.
TEST(WishartCov, ErrsLessThanLaplaceFromThreeColumnsOn) {
    constexpr std::size_t d = 20;
    const Rows rows = sphere_rows(2000, d, 0.9, 194);
    const detail::SecretMoment moment = moment_of(rows, d);
    const Eigen::MatrixXd truth = covariance_of(rows, d);
    const auto error = [&](const char* method) {
        double squares = 0.0;
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            squares += (run(method, moment, Epsilon(40.0), Variant::best, seed).covariance - truth)
                           .squaredNorm();
        }
        return std::sqrt(squares);
    };
    EXPECT_NEAR(error("wishart") / error("laplace"), std::sqrt(2.0 / d), 0.03);
    EXPECT_FALSE(detail::wishart_beats_laplace(Neighbours::replace, 2));
    EXPECT_TRUE(detail::wishart_beats_laplace(Neighbours::replace, 3));
}

// Which noise the account of the others names.
TEST(WishartCov, ServesTheOthersInTheirBestForm) {
    const auto what = [](const char* method, std::size_t d, Variant variant) {
        const detail::SecretMoment moment = moment_of(sphere_rows(500, d, 1.0, 195), d);
        return run(method, moment, Epsilon(8.0), variant, 196).stages.back().what;
    };
    EXPECT_EQ(what("separate", 3, Variant::best).find("Wishart"), 0U);
    EXPECT_EQ(what("separate", 2, Variant::best).find("Laplace"), 0U);
    EXPECT_EQ(what("separate", 3, Variant::published).find("Laplace"), 0U);
    EXPECT_EQ(what("adaptive", 3, Variant::best).find("WishartCov"), 0U);
    EXPECT_EQ(what("adaptive", 2, Variant::best).find("LapCov"), 0U);
}

}  // namespace
}  // namespace dpcov::test
