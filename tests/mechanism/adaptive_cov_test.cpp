// AdaptiveCov: its budget, the law of its threshold, and what it is good for.
#include "mechanism/adaptive_cov.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dpcov/bounds.hpp"
#include "dpcov/error.hpp"
#include "privacy/budget_meter.hpp"
#include "random/statistics.hpp"
#include "shown_epsilon.hpp"
#include "sparse_vector_law.hpp"
#include "support/test_size.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

// The t of the threshold 2^-t.
int threshold_exponent(const Release& release) {
    return static_cast<int>(std::lround(-std::log2(release.threshold.value())));
}

TEST(AdaptiveCov, SpendsWhatItsVariantSays) {
    const detail::SecretMoment moment = moment_of(sphere_rows(2000, 3, 1.0, 1), 3);
    struct Expected {
        Variant variant;
        std::vector<std::string> stages;
        std::vector<double> sixteenths;
    };
    for (const Expected& expected :
         {Expected{Variant::paper, {"radius", "trace", "threshold", "release"}, {2, 2, 4, 8}},
          Expected{Variant::published, {"trace", "threshold", "release"}, {2, 2, 12}},
          Expected{Variant::best, {"trace", "threshold", "release"}, {1, 2, 13}}}) {
        for (const double rho : {0.1, 1.0 / 3.0, 1.0}) {
            const Release release = run("adaptive", moment, rho, expected.variant, 260);
            ASSERT_EQ(release.stages.size(), expected.stages.size());
            detail::RhoMeter meter{Rho(rho)};  // refuses more than rho, by however little
            for (std::size_t i = 0; i < release.stages.size(); ++i) {
                const Rho part = std::get<Rho>(release.stages[i].spent);
                EXPECT_EQ(release.stages[i].name, expected.stages[i]);
                EXPECT_DOUBLE_EQ(part.value(), rho * expected.sixteenths[i] / 16.0);
                EXPECT_NO_THROW((void)meter.spend(release.stages[i].name, part, ""));
            }
            EXPECT_DOUBLE_EQ(spent(release), rho);

            const Release pure =
                run("adaptive", moment, Epsilon(10.0 * rho), expected.variant, 260);
            ASSERT_EQ(pure.stages.size(), expected.stages.size());
            detail::EpsilonMeter pure_meter{Epsilon(10.0 * rho)};
            for (std::size_t i = 0; i < pure.stages.size(); ++i) {
                const Epsilon part = std::get<Epsilon>(pure.stages[i].spent);
                EXPECT_EQ(pure.stages[i].name, expected.stages[i]);
                EXPECT_DOUBLE_EQ(part.value(), 10.0 * rho * expected.sixteenths[i] / 16.0);
                EXPECT_NO_THROW((void)pure_meter.spend(pure.stages[i].name, part, ""));
            }
            EXPECT_DOUBLE_EQ(spent(pure), 10.0 * rho);
        }
    }
}

// The chances of the thresholds 1, 1/2, 1/4, ... from Algorithm 3 as it is written: sum over the
// rows for the bias, the bounds' formulas for the noise, three times WishartCov's where that is
// `best`. The table is such that GaussCov is the lesser noise, LapCov or WishartCov under pure DP,
// whatever the noisy trace. In quarters of a row, whose weight
// is the sensitivity.
std::vector<double> threshold_law(const Rows& rows, std::size_t d, const Budget& budget,
                                  Variant variant, double noise_factor = 1.0) {
    constexpr double fineness = 4.0;
    const std::size_t n = rows.size() / d;
    const bool pure = std::holds_alternative<Epsilon>(budget);
    const double whole = amount_of(budget);
    const double release = whole *
                           (variant == Variant::best    ? 13.0
                            : variant == Variant::paper ? 8.0
                                                        : 12.0) /
                           16.0;
    const double beta = variant == Variant::paper ? 0.05 : 0.075;
    std::vector<std::int64_t> differences;
    for (std::size_t t = 0; t <= d * n; ++t) {
        // Below the last stratum the noise is nothing and the bias is the last stratum's.
        const double tau = std::ldexp(1.0, -static_cast<int>(std::min<std::size_t>(t, 39)));
        double bias = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            double squares = 0.0;
            for (std::size_t j = 0; j < d; ++j) squares += rows[i * d + j] * rows[i * d + j];
            // The paper counts a row at the upper edge of its stratum.
            const double counted = variant == Variant::best
                                       ? squares
                                       : std::exp2(2.0 * std::ceil(0.5 * std::log2(squares)));
            bias += std::max(0.0, counted - tau * tau);
        }
        const auto order = static_cast<double>(d);
        const double scale =
            pure ? (variant == Variant::best ? 3.0 * std::sqrt(2.0 * order) * (order + 1.0) * tau *
                                                   tau / (release * static_cast<double>(n))
                                             : lap_error_bound(d, n, Epsilon(release), tau, beta))
            : variant == Variant::best
                ? noise_scale(tau, release, n) * std::sqrt(order * (order + 1.0) / 2.0)
                : gauss_error_bound(d, n, Rho(release), tau, beta);
        const double noise = t < 40 ? noise_factor * scale * static_cast<double>(n) : 0.0;
        differences.push_back(std::llround(fineness * (bias - noise)));
    }
    const double share = whole * (variant == Variant::paper ? 4.0 : 2.0) / 16.0;
    const double epsilon = pure ? share : std::sqrt(2.0 * share);
    const auto law =
        sparse_vector_law(differences, 0, 2.0L * fineness / epsilon, 4.0L * fineness / epsilon);
    // The threshold before the one that was found; of none, the last.
    std::vector<double> by_exponent(d * n + 1);
    by_exponent.back() = static_cast<double>(law.back());
    for (std::size_t t = 0; t <= d * n; ++t) {
        by_exponent[t > 0 ? t - 1 : 0] += static_cast<double>(law[t]);
    }
    return by_exponent;
}

// False alarm: 1e-6 a variant. In `paper` the radius is 1: 36 rows of norm above 1/2 are more than
// it may leave out but for a chance that is not seen here.
TEST(AdaptiveCov, ThresholdHasTheLawOfAlgorithm3) {
    // Many rows just above the lower edge of their stratum, where the two ways to count them
    // differ.
    const Rows rows = sphere_rows(36, 2, 0.51, 3) + sphere_rows(24, 2, 0.1, 4);
    const detail::SecretMoment moment = moment_of(rows, 2);
    const auto draws = test_size<std::uint64_t>(2000, 5000);
    for (const Budget& budget : {Budget(Rho(0.1)), Budget(Epsilon(6.0))}) {
        for (const Variant variant : {Variant::published, Variant::best}) {
            std::vector<std::uint64_t> counts(2 * 60 + 1);
            ReleaseOptions options;
            options.variant = variant;
            for (std::uint64_t seed = 0; seed < draws; ++seed) {
                SeededRandomSource random(seed);
                const Release release =
                    detail::run_method(find_method("adaptive"), moment, budget, options, random);
                ++counts.at(static_cast<std::size_t>(threshold_exponent(release)));
            }
            const auto p_value = [&](const std::vector<double>& law) {
                return chi_square_p_value(counts, law);
            };
            EXPECT_GT(p_value(threshold_law(rows, 2, budget, variant)), false_alarm);
            // Controls: the threshold that was found instead of the one before it; three times the
            // noise level; the other variant's level.
            std::vector<double> shifted = threshold_law(rows, 2, budget, variant);
            std::rotate(shifted.begin(), shifted.end() - 1, shifted.end());
            EXPECT_LT(p_value(shifted), false_alarm);
            EXPECT_LT(p_value(threshold_law(rows, 2, budget, variant, 3.0)), false_alarm);
            const Variant other = variant == Variant::best ? Variant::published : Variant::best;
            EXPECT_LT(p_value(threshold_law(rows, 2, budget, other)), false_alarm);
        }
    }
}

// Rows just above their stratum's lower edge. At 1/2 the text counts a bias of 4000 (1 - 1/4) rows
// against a noise of 36, so the threshold before it is taken, 1: another outcome has a chance below
// 1e-100 a run. Counted exactly the bias is 4 rows. `best` takes its noise for 19.7, so 1/2 unless
// the noise of the comparison, Laplace of scales 2 and 4, makes up for 15.7: a chance of 0.013, as
// at 1/4 there is no doubt. Six or more of 30 have a chance of 3e-6.
TEST(AdaptiveCov, PaperCountsTheBiasAtUpperEdges) {
    constexpr std::size_t d = 200;
    const detail::SecretMoment moment = moment_of(sphere_rows(4000, d, 0.501, 9), d);
    int halves = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        if (seed < 5) {
            EXPECT_EQ(run("adaptive", moment, 4.0, Variant::paper, seed).threshold, 1.0);
        }
        halves += run("adaptive", moment, 4.0, Variant::best, seed).threshold == 0.5 ? 1 : 0;
    }
    EXPECT_GE(halves, 25);
}

// 367 full rows, a number at which the two bounds compare one way at beta / 2 and the other at
// 3 beta / 4; the trace is at its upper limit. False alarm: the noisy trace is below that with
// probability 1/160 a run, in three of five below 3e-6.
TEST(AdaptiveCov, PaperComparesItsBoundsAtHalfOfBeta) {
    constexpr std::size_t d = 400;
    constexpr std::size_t n = 367;
    constexpr double beta = 0.1;
    ASSERT_LT(crossover_trace(d, n, Rho(0.5), 1.0, 0.5 * beta), 1.0);
    ASSERT_GT(crossover_trace(d, n, Rho(0.5), 1.0, 0.75 * beta), 1.0);
    const detail::SecretMoment moment = moment_of(sphere_rows(n, d, 1.0, 13), d);
    int gauss = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Release release = run("adaptive", moment, 1.0, Variant::paper, seed);
        EXPECT_EQ(release.threshold, 1.0);
        gauss += release.stages.back().what == "GaussCov at the threshold" ? 1 : 0;
    }
    EXPECT_GE(gauss, 3);
    // Control: with half of the rows it is SeparateCov.
    const detail::SecretMoment fewer = moment_of(sphere_rows(n - 20, d, 1.0, 13), d);
    EXPECT_EQ(run("adaptive", fewer, 1.0, Variant::paper, 1).stages.back().what,
              "SeparateCov at the threshold");
}

// Seen from outside: the threshold is epsilon-DP, with the epsilon that an eighth of rho buys. No
// event "threshold at most 2^-t" shows more on neighbours with and without one full row. False
// alarm: 1e-6. Control: 64 times the budget, so eight times epsilon, is found out.
TEST(AdaptiveCov, ThresholdOnNeighboursStaysWithinItsBudget) {
    const auto draws = test_size<std::size_t>(2000, 5000);
    const std::vector<int> events = {0, 1, 2, 4, 8, 16};
    Rows rows(30, 0.0);
    const detail::SecretMoment without = moment_of(rows, 1);
    rows[0] = 1.0;
    const detail::SecretMoment with = moment_of(rows, 1);
    const auto shown = [&](double rho_spent) {
        // How often each event came.
        const auto count = [&](const detail::SecretMoment& moment, std::uint64_t first_seed) {
            std::vector<std::size_t> counts(events.size());
            for (std::uint64_t i = 0; i < draws; ++i) {
                const int t = threshold_exponent(
                    run("adaptive", moment, rho_spent, Variant::best, first_seed + i));
                for (std::size_t e = 0; e < events.size(); ++e) counts[e] += t > events[e] ? 1 : 0;
            }
            return counts;
        };
        const std::vector<std::size_t> x = count(without, 0);
        const std::vector<std::size_t> y = count(with, draws);
        const double alpha = false_alarm / (8.0 * static_cast<double>(events.size()));
        double most = 0.0;
        for (std::size_t e = 0; e < events.size(); ++e) {
            most = std::max({most, shown_epsilon(x[e], y[e], draws, 0.0, alpha),
                             shown_epsilon(y[e], x[e], draws, 0.0, alpha),
                             shown_epsilon(draws - x[e], draws - y[e], draws, 0.0, alpha),
                             shown_epsilon(draws - y[e], draws - x[e], draws, 0.0, alpha)});
        }
        return most;
    };
    constexpr double rho = 4.0;
    const double epsilon = std::sqrt(2.0 * rho / 8.0);
    EXPECT_LE(shown(rho), epsilon);
    EXPECT_GT(shown(64.0 * rho), epsilon);
}

// The noisy trace is not released, but the estimated error tells it. One column and rows that fill
// the ball: the threshold is 1, GaussCov's value Y is not clamped, Stein's estimate is s^2, and the
// trace's excess over Y, if above zero, is added as a square. That excess is N(0, sigma^2 + s^2):
// in units of its variance, the part above zero squares to 1/2 on average, with variance 5/4.
// False alarm: 1e-6. Control: half the noise on the trace.
TEST(AdaptiveCov, TraceHasItsNoise) {
    constexpr int runs = 5000;
    constexpr std::size_t n = 2000;
    constexpr double rho = 0.3;
    const detail::SecretMoment moment = moment_of(sphere_rows(n, 1, 0.8, 10), 1);
    const double s = noise_scale(1.0, 13.0 / 16.0 * rho, n, 1);
    const double sigma = 1.0 / (static_cast<double>(n) * std::sqrt(2.0 * rho / 16.0));
    double squares = 0.0;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        const Release release = run("adaptive", moment, rho, Variant::best, seed);
        ASSERT_EQ(release.threshold, 1.0);
        squares += std::pow(release.estimated_frobenius_error.value(), 2) - s * s;
    }
    const auto p_value = [&](double deviation) {
        const double mean = squares / runs / (deviation * deviation + s * s);
        return two_sided_p_value((mean - 0.5) / std::sqrt(1.25 / runs));
    };
    EXPECT_GT(p_value(sigma), false_alarm);
    EXPECT_LT(p_value(0.5 * sigma), false_alarm);
}

// The balls below every stratum hold the 207 zero rows of 300, 42 short of the threshold, and now
// and then one of them is taken; the release then is the radius. Its law is the sparse vector
// technique's at the epsilon that an eighth of rho buys. False alarm: 1e-6. Controls: that epsilon
// times 0.7 and 1.4.
TEST(AdaptiveCov, RadiusHasTheLawOfItsBudget) {
    constexpr std::size_t n = 300;
    constexpr std::size_t full = 93;
    constexpr double rho = 1.44;
    const auto draws = test_size<std::uint64_t>(1500, 4000);
    const detail::SecretMoment moment =
        moment_of(sphere_rows(full, 1, 1.0, 11) + Rows(n - full, 0.0), 1);
    const std::size_t finer = 2 * n - detail::NormBins::octaves + 1;  // exponents 2n, ..., 40
    std::vector<std::uint64_t> counts(finer + 1);
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
        const Release release = run("adaptive", moment, rho, Variant::paper, seed);
        const bool only_radius = release.stages.size() == 1;
        const auto index =
            only_radius ? 2 * n - static_cast<std::size_t>(threshold_exponent(release)) : finer;
        ++counts.at(index);
    }
    const auto p_value = [&](double epsilon) {
        // The threshold goes with the epsilon that the code says; the noise with the one it spends.
        const double unit = std::log(2.0 / (0.1 / 8.0)) / 0.6;
        const double slack = std::ceil(2.0 * unit) + std::ceil(4.0 * unit);
        const std::vector<std::int64_t> queries(finer, n - full);
        const auto law = sparse_vector_law(queries, static_cast<std::int64_t>(n - slack),
                                           2.0L / epsilon, 4.0L / epsilon);
        return chi_square_p_value(counts, std::vector<double>(law.begin(), law.end()));
    };
    EXPECT_GT(p_value(std::sqrt(2.0 * rho / 8.0)), false_alarm);
    EXPECT_LT(p_value(0.7 * std::sqrt(2.0 * rho / 8.0)), false_alarm);
    EXPECT_LT(p_value(1.4 * std::sqrt(2.0 * rho / 8.0)), false_alarm);
}

// Forty full rows on one axis: clipped to 1/4 or less they leave an error of more than 37 rows,
// against noise of 3. The estimated error has to tell it: it bounds the error on average over such
// runs (its part for what was clipped deviates by 9 rows a run). Told over true is 1.056, and
// deviates by 0.045 from one thousand runs to the next (four of them): 3.5 deviations below, 5
// above.
TEST(AdaptiveCov, EstimatedErrorTellsWhatWasClipped) {
    constexpr std::size_t d = 20;
    Rows rows = sphere_rows(1960, d, 1.0 / 64.0, 12);
    for (std::size_t i = 0; i < 40 * d; ++i) rows.push_back(i % d == 0 ? 1.0 : 0.0);
    const detail::SecretMoment moment = moment_of(rows, d);
    const Eigen::MatrixXd truth = covariance_of(rows, d);
    int clipped_runs = 0;
    double squares = 0.0;
    double told = 0.0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const Release release = run("adaptive", moment, 0.1, Variant::best, seed);
        if (release.threshold.value() <= 0.25) {
            ++clipped_runs;
            squares += (release.covariance - truth).squaredNorm();
            told += std::pow(release.estimated_frobenius_error.value(), 2);
        }
    }
    ASSERT_GE(clipped_runs, 20);
    EXPECT_GT(std::sqrt(told / squares), 0.9);
    EXPECT_LT(std::sqrt(told / squares), 1.3);
}

// Nearly all rows at 1/64, a few at 1. Noise and bias, counted in rows, cross between thresholds
// 1/2 and 1/8, which the sparse vector technique's own noise (scale 25 rows) blurs: a bit more than
// half of the runs clip. Out of 40, fewer than 6 would be five deviations, and fewer than 30 of
// 100. The error is about half of GaussCov's, many deviations below 0.8 of it.
TEST(AdaptiveCov, FindsTheThresholdOfSkewedRows) {
    constexpr std::size_t d = 100;
    const auto runs = test_size<std::uint64_t>(40, 100);
    const Rows rows = sphere_rows(9995, d, 1.0 / 64.0, 5, 0.9) + sphere_rows(5, d, 1.0, 6);
    const detail::SecretMoment moment = moment_of(rows, d);
    const Eigen::MatrixXd truth = covariance_of(rows, d);
    for (const Variant variant : {Variant::published, Variant::best}) {
        int clip = 0;
        double error = 0.0;
        for (std::uint64_t seed = 0; seed < runs; ++seed) {
            const Release release = run("adaptive", moment, 0.1, variant, seed);
            clip += threshold_exponent(release) >= 1 ? 1 : 0;
            error += (release.covariance - truth).norm() / static_cast<double>(runs);
        }
        EXPECT_GE(clip, test_size(6, 30));
        double gauss = 0.0;
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            gauss += (run("gauss", moment, 0.1, variant, seed).covariance - truth).norm() / 10.0;
        }
        EXPECT_LT(error, 0.8 * gauss);
    }
    // Control: rows that fill the ball are not clipped (7500 rows of bias at 1/2 against 25).
    const detail::SecretMoment full = moment_of(sphere_rows(10000, 5, 1.0, 7), 5);
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        EXPECT_EQ(threshold_exponent(run("adaptive", full, 0.1, Variant::best, seed)), 0);
    }
}

// PrivRadius sees that all rows are zero (chance of failure below exp(-5000 / 8)), and nothing else
// is spent. Without the radius step the noise at the threshold is all there is.
TEST(AdaptiveCov, OfATableOfZerosIsZeroOrNoise) {
    const detail::SecretMoment zeros = moment_of(Rows(15000, 0.0), 3);
    const Release paper = run("adaptive", zeros, 1.0, Variant::paper, 261);
    EXPECT_EQ(paper.covariance, Eigen::MatrixXd::Zero(3, 3));
    ASSERT_EQ(paper.stages.size(), 1U);
    EXPECT_EQ(paper.stages[0].name, "radius");
    EXPECT_EQ(spent(paper), 0.125);
    // 2^-15000 is below the doubles; a clipping norm is above zero all the same.
    EXPECT_GT(paper.threshold, 0.0);
    EXPECT_LT(paper.threshold, 1e-200);
    EXPECT_FALSE(paper.estimated_frobenius_error);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        // At most GaussCov's at the norm bound, up to a factor for chance.
        EXPECT_LT(run("adaptive", zeros, 1.0, Variant::best, seed).covariance.norm(),
                  2.0 * noise_scale(1.0, 13.0 / 16.0, 5000) * 3.0);
    }
}

// The sparse vector technique may, rarely, pass over every stratum: then there is nothing left to
// release, and the last part of the budget stays unspent.
TEST(AdaptiveCov, BeyondTheLastStratumIsZero) {
    const detail::SecretMoment zeros = moment_of(Rows(200, 0.0), 1);
    int beyond = 0;
    for (std::uint64_t seed = 0; seed < 10000; ++seed) {
        const Release release = run("adaptive", zeros, 1.0, Variant::best, seed);
        ASSERT_LE(release.threshold.value(), 1.0);
        if (threshold_exponent(release) >= detail::NormBins::octaves) {
            ++beyond;
            EXPECT_EQ(release.covariance, Eigen::MatrixXd::Zero(1, 1));
            ASSERT_EQ(release.stages.size(), 2U);
            EXPECT_EQ(release.stages.back().name, "threshold");
            EXPECT_DOUBLE_EQ(spent(release), 3.0 / 16.0);
            EXPECT_EQ(release.grid, 0.0);
        } else {
            ASSERT_EQ(release.stages.size(), 3U);
            EXPECT_GT(release.grid, 0.0);
        }
    }
    EXPECT_GT(beyond, 0);  // else nothing was tested
}

// Under pure DP a table of zeros has a noisy trace near zero, and `best` projects to it: next to
// nothing is left of LapCov's noise. Eight scales of the trace's noise: a chance of e^-8 / 2 each,
// for all 20 below 0.004.
TEST(AdaptiveCov, PureReleaseHasTheNoisyTrace) {
    const detail::SecretMoment zeros = moment_of(Rows(20000, 0.0), 20);
    double best = 0.0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Release release = run("adaptive", zeros, Epsilon(0.8), Variant::best, seed);
        best = std::max(best, release.covariance.trace());
        EXPECT_FALSE(release.estimated_frobenius_error);
    }
    const double trace_scale = 16.0 / (0.8 * 1000.0);
    EXPECT_LT(best, 8.0 * trace_scale);
    // Control: LapCov alone fills the unit trace.
    EXPECT_GT(run("laplace", zeros, Epsilon(0.8), Variant::best, 1).covariance.trace(), 0.99);
}

// The trace of rows that all have the norm bound is known: its share goes to the release, and the
// account has no stage for it.
TEST(AdaptiveCov, KnownNormsSaveTheTracesShare) {
    constexpr std::size_t d = 100;
    constexpr std::size_t n = 40000;
    const detail::SecretMoment moment = moment_of(sphere_rows(n, d, 1.0, 14), d);
    ReleaseOptions options;
    options.full_norms = true;
    for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
        options.variant = variant;
        const Release known = run("adaptive", moment, 1.6, options, 1);
        const Release asked = run("adaptive", moment, 1.6, variant, 1);
        EXPECT_EQ(known.stages.size() + 1, asked.stages.size());
        const auto trace_of = [](const Release& release) {
            double share = 0.0;
            for (const Stage<Budget>& stage : release.stages) {
                share += stage.name == "trace" ? std::get<Rho>(stage.spent).value() : 0.0;
            }
            return share;
        };
        const auto release_of = [](const Release& release) {
            return std::get<Rho>(release.stages.back().spent).value();
        };
        EXPECT_EQ(trace_of(known), 0.0);
        EXPECT_GT(trace_of(asked), 0.0);
        EXPECT_DOUBLE_EQ(release_of(known), release_of(asked) + trace_of(asked));
        EXPECT_DOUBLE_EQ(spent(known), 1.6);
        EXPECT_EQ(known.threshold, 1.0);
        EXPECT_FALSE(known.estimated_frobenius_error);
    }
    EXPECT_THROW((void)run("gauss", moment, 1.6, options, 1), UsageError);
    options.variant = Variant::best;
    EXPECT_EQ(run("adaptive", moment, Epsilon(1.6), options, 1).stages.size(), 2U);
}

TEST(AdaptiveCov, NeedsDirections) {
    const detail::SecretMoment bare = moment_of(sphere_rows(20, 3, 1.0, 8), 3, 1.0, false);
    EXPECT_THROW((void)run("adaptive", bare, 1.0, Variant::best, 262), UsageError);
    EXPECT_THROW((void)run("auto", bare, Epsilon(1.0), Variant::published, 262), UsageError);
    EXPECT_NO_THROW((void)run("auto", bare, Epsilon(1.0), Variant::best, 262));
}

}  // namespace
}  // namespace dpcov::test
