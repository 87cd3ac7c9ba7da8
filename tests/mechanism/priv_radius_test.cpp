// PrivRadius: its law, and that it finds a radius.
#include "mechanism/priv_radius.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanism/sparse_vector.hpp"
#include "random/statistics.hpp"
#include "sparse_vector_law.hpp"
#include "support/test_size.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

// P(j = 0), ..., P(j = 2dn) from the definition: rows counted by their norms, no strata.
std::vector<double> radius_law(const Rows& rows, std::size_t d, double epsilon, double beta) {
    const std::size_t n = rows.size() / d;
    const std::size_t finest = 2 * d * n;
    std::vector<std::int64_t> counts;
    for (std::size_t step = 0; step <= finest; ++step) {
        const double ball = std::ldexp(1.0, -static_cast<int>(finest - step));
        std::int64_t inside = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double squares = 0.0;
            for (std::size_t j = 0; j < d; ++j) squares += rows[i * d + j] * rows[i * d + j];
            inside += std::sqrt(squares) <= ball ? 1 : 0;
        }
        counts.push_back(inside);
    }
    const double unit = std::log(2.0 / beta) / epsilon;
    const auto threshold = static_cast<std::int64_t>(n) -
                           static_cast<std::int64_t>(std::ceil(2.0 * unit) + std::ceil(4.0 * unit));
    const auto by_index = sparse_vector_law(counts, threshold, 2.0L / epsilon, 4.0L / epsilon);
    std::vector<double> law(by_index.begin(), by_index.end() - 1);
    std::reverse(law.begin(), law.end());
    law[0] += static_cast<double>(by_index.back());  // none: the norm bound itself
    return law;
}

std::vector<std::uint64_t> count(const detail::SecretMoment& moment, double epsilon, double beta,
                                 std::uint64_t seed) {
    const int draws = test_size(1200, 2000);
    SeededRandomSource random(seed);
    std::vector<std::uint64_t> counts(
        detail::finest_radius_exponent(detail::counted_openly(moment)) + 1);
    for (int i = 0; i < draws; ++i) {
        ++counts.at(
            detail::private_radius(detail::counted_openly(moment), Epsilon(epsilon), beta, random));
    }
    return counts;
}

// Fewer exponents than strata, as many, and more, with rows of norm zero and in the last stratum.
// False alarms: 1e-6 each.
TEST(PrivRadius, HasTheLawOfItsDefinition) {
    struct Case {
        Rows rows;
        std::size_t d;
        double epsilon;
    };
    std::uint64_t seed = 120;
    for (const Case& c : {Case{{1, 0.2, 0, 0.01, 0.5, 0.003}, 1, 4.0},
                          Case{sphere_rows(9, 2, 0.2, 1) + sphere_rows(4, 2, 0.9, 2), 2, 5.0},
                          Case{sphere_rows(20, 2, 0.06, 3), 2, 1.8},
                          Case{sphere_rows(15, 3, 0x1p-36, 4) + Rows(60, 0.0), 3, 3.0}}) {
        const double beta = 0.9;
        const std::vector<std::uint64_t> counts =
            count(moment_of(c.rows, c.d), c.epsilon, beta, ++seed);
        const std::vector<double> law = radius_law(c.rows, c.d, c.epsilon, beta);
        EXPECT_GT(chi_square_p_value(counts, law), false_alarm) << seed;
        // Controls: a third of the failure probability, three times the noise, an exponent off by
        // one.
        EXPECT_LT(chi_square_p_value(counts, radius_law(c.rows, c.d, c.epsilon, beta / 3.0)),
                  false_alarm)
            << seed;
        EXPECT_LT(chi_square_p_value(counts, radius_law(c.rows, c.d, c.epsilon / 3.0, beta)),
                  false_alarm)
            << seed;
        std::vector<double> shifted = law;
        std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
        EXPECT_LT(chi_square_p_value(counts, shifted), false_alarm) << seed;
    }
}

// So small that what it allows is not seen in these tests.
constexpr double never = 1e-9;

// The ball 2^-6 leaves out 5000 rows, more than 4800 above the slack: the chance of anything but 5
// is below 30001 exp(-4800 / 4) + 1e-9 a run.
TEST(PrivRadius, FindsTheRadiusOfManyRows) {
    const detail::SecretMoment moment = moment_of(sphere_rows(5000, 3, 0x1p-5, 5), 3);
    SeededRandomSource random(130);
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(
            detail::private_radius(detail::counted_openly(moment), Epsilon(1.0), never, random),
            5U);
    }
}

TEST(PrivRadius, OfATableOfZerosIsTheSmallest) {
    // Every ball holds all rows, so the first, 2^-2dn B, is taken.
    const detail::SecretMoment zeros = moment_of(Rows(15000, 0.0), 3);
    SeededRandomSource random(131);
    EXPECT_EQ(detail::private_radius(detail::counted_openly(zeros), Epsilon(1.0), never, random),
              30000U);
    // 2 d n = 2 * 10^9 radii cost no more time than 40.
    const std::size_t d = 1000;
    detail::SecretMoment huge = moment_of(Rows(d, 0.0), d);
    while (huge.rows() < 1000000) {
        detail::SecretMoment as_many = huge;
        as_many.declare_part(std::to_string(huge.rows()));  // a copy is not merged
        huge.merge(as_many);
    }
    EXPECT_EQ(detail::private_radius(detail::counted_openly(huge), Epsilon(1.0), never, random),
              2 * d * huge.rows());
}

TEST(PrivRadius, OfTinyRowsIsNotTakenForZero) {
    // In the last stratum but not zero: the ball of the last stratum is the smallest that has them.
    const detail::SecretMoment moment = moment_of(sphere_rows(2000, 2, 0x1p-45, 6), 2);
    SeededRandomSource random(132);
    EXPECT_EQ(detail::private_radius(detail::counted_openly(moment), Epsilon(1.0), never, random),
              39U);
}

// The lemma's other half: with probability at least 1 - beta few rows are left out. Three rows at
// each of the norms 1, 1/2, ..., 2^-29 and 410 at 2^-30. 1000 runs, counted with a slack of five
// deviations (false alarm 1e-6). Control: a quarter of that many rows.
TEST(PrivRadius, LeavesOutFewRows) {
    constexpr double beta = 0.05;
    constexpr int runs = 1000;
    const double most = runs * beta + 5.0 * std::sqrt(runs * beta);
    Rows rows;
    for (int k = 0; k < 30; ++k) rows.insert(rows.end(), 3, std::ldexp(1.0, -k));
    rows.insert(rows.end(), 410, 0x1p-30);
    const detail::SecretMoment moment = moment_of(rows, 1);
    const double balls = 2.0 * 500.0 + 1.0;
    const double bound = static_cast<double>(detail::radius_slack(Epsilon(1.0), beta)) +
                         2.0 * std::log(2.0 / beta) + 4.0 * std::log(2.0 * balls / beta) + 2.0;
    SeededRandomSource random(134);
    int failures = 0;
    int control_failures = 0;
    for (int i = 0; i < runs; ++i) {
        const auto j =
            detail::private_radius(detail::counted_openly(moment), Epsilon(1.0), beta, random);
        const double outside = 3.0 * std::fmin(static_cast<double>(j), 30.0) + (j > 30 ? 410.0 : 0);
        failures += outside > bound ? 1 : 0;
        control_failures += outside > bound / 4.0 ? 1 : 0;
    }
    EXPECT_LE(failures, most);
    EXPECT_GT(control_failures, most);
}

// At beta = 0.05 at most 1 run in 20 may exceed twice the radius: 1000 runs, counted with a slack
// of five deviations (false alarm 1e-6). The control has no slack under its threshold, and fails to
// stop in time in about a third of its runs.
TEST(PrivRadius, ExceedsTwiceTheRadiusWithProbabilityBetaAtMost) {
    constexpr double beta = 0.05;
    constexpr int runs = 1000;
    const double most = runs * beta + 5.0 * std::sqrt(runs * beta);
    const detail::SecretMoment moment = moment_of(sphere_rows(500, 2, 0x1p-5, 7), 2);
    SeededRandomSource random(133);
    int failures = 0;
    int control_failures = 0;
    for (int i = 0; i < runs; ++i) {
        failures +=
            detail::private_radius(detail::counted_openly(moment), Epsilon(1.0), beta, random) < 4
                ? 1
                : 0;
        const std::vector<detail::QueryRun> counts = {{0, 995}, {500, 6}};
        const auto found = detail::above_threshold(counts, 500, 1, Epsilon(1.0), random);
        control_failures += !found || *found > 996 ? 1 : 0;
    }
    EXPECT_LE(failures, most);
    EXPECT_GT(control_failures, most);
}

// One row replaced: the ratio of every outcome's probabilities, computed, is within exp(epsilon).
TEST(PrivRadius, LawOnNeighboursStaysWithinEpsilon) {
    const Rows rows = {1, 0.2, 0, 0.01, 0.5, 0.003};
    for (const double replacement : {1.0, 0.3, 0.01, 0.0}) {
        Rows neighbour = rows;
        neighbour[1] = replacement;
        const auto p = radius_law(rows, 1, 1.0, 0.5);
        const auto q = radius_law(neighbour, 1, 1.0, 0.5);
        EXPECT_LE(privacy_loss({p.begin(), p.end()}, {q.begin(), q.end()}), 1.0L);
    }
}

}  // namespace
}  // namespace dpcov::test
