// SVT: its law, and its privacy computed from that law.
#include "mechanism/sparse_vector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "random/discrete_laplace.hpp"
#include "random/statistics.hpp"
#include "sparse_vector_law.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

using detail::QueryRun;

std::vector<std::int64_t> expanded(const std::vector<QueryRun>& runs) {
    std::vector<std::int64_t> queries;
    for (const QueryRun& run : runs) {
        queries.insert(queries.end(), run.length, static_cast<std::int64_t>(run.value));
    }
    return queries;
}

// AboveThreshold as printed in Dwork and Roth: query by query.
std::optional<std::uint64_t> query_by_query(const std::vector<QueryRun>& runs, Int128 threshold,
                                            double sensitivity, double epsilon,
                                            RandomSource& random) {
    const Int128 noisy =
        threshold + discrete_laplace(random, laplace_scale(2.0 * sensitivity / epsilon));
    std::uint64_t index = 0;
    for (const std::int64_t query : expanded(runs)) {
        if (query + discrete_laplace(random, laplace_scale(4.0 * sensitivity / epsilon)) >= noisy) {
            return index;
        }
        ++index;
    }
    return std::nullopt;
}

// How often each index came, and last none.
template <class Mechanism>
std::vector<std::uint64_t> count(Mechanism&& mechanism, std::size_t queries, std::size_t draws,
                                 std::uint64_t seed) {
    SeededRandomSource random(seed);
    std::vector<std::uint64_t> counts(queries + 1);
    for (std::size_t i = 0; i < draws; ++i) {
        const std::optional<std::uint64_t> index = mechanism(random);
        ++counts.at(index ? *index : queries);
    }
    return counts;
}

double p_value(const std::vector<std::uint64_t>& counts, const std::vector<long double>& law) {
    return chi_square_p_value(counts, std::vector<double>(law.begin(), law.end()));
}

struct Case {
    std::vector<QueryRun> runs;
    int threshold;
    int sensitivity;
    double epsilon;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {{{0, 1}}, 0, 1, 1.0},
        {{{-3, 4}, {0, 1}, {2, 3}}, 1, 1, 1.0},
        {{{-20, 60}, {5, 1}}, 3, 1, 0.5},
        {{{10, 1}, {-10, 20}, {10, 5}}, 12, 1, 2.0},
        {{{-9, 30}, {-2, 8}, {30, 1}}, 4, 3, 1.5},
        {{{-4, 5}, {1, 5}}, 1, 1, 9.0},
    };
    return all;
}

// False alarms: 1e-6 each, at either size; every control is caught at both.
TEST(SparseVector, HasTheLawOfAboveThreshold) {
    const auto draws = test_size<std::size_t>(5000, 20000);
    std::uint64_t seed = 20;
    for (const Case& c : cases()) {
        const double unit = c.sensitivity / c.epsilon;
        const std::vector<std::int64_t> queries = expanded(c.runs);
        const auto law = [&](double threshold_scale, double query_scale) {
            return sparse_vector_law(queries, c.threshold, threshold_scale * unit,
                                     query_scale * unit);
        };
        const auto fast = [&](RandomSource& random) {
            return detail::above_threshold(c.runs, c.threshold, c.sensitivity, Epsilon(c.epsilon),
                                           random);
        };
        const auto slow = [&](RandomSource& random) {
            return query_by_query(c.runs, c.threshold, c.sensitivity, c.epsilon, random);
        };
        const std::vector<std::uint64_t> counts = count(fast, queries.size(), draws, ++seed);
        EXPECT_GT(p_value(counts, law(2.0, 4.0)), false_alarm) << seed;
        EXPECT_GT(p_value(count(slow, queries.size(), draws / 5, ++seed), law(2.0, 4.0)),
                  false_alarm)
            << seed;
        // Controls: half the noise on the queries; the two scales exchanged; an index off by one.
        if (queries.size() > 1) {
            EXPECT_LT(p_value(counts, law(2.0, 2.0)), false_alarm) << seed;
            EXPECT_LT(p_value(counts, law(4.0, 2.0)), false_alarm) << seed;
            std::vector<long double> shifted = law(2.0, 4.0);
            std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
            EXPECT_LT(p_value(counts, shifted), false_alarm) << seed;
        }
    }
}

TEST(SparseVector, TheThresholdIsReachedByEquality) {
    // Noise of scale 4 / 200 is zero but for two chances in e^50.
    SeededRandomSource random(40);
    const std::vector<QueryRun> runs = {{6, 1000}, {7, 5}};
    EXPECT_EQ(detail::above_threshold(runs, 7, 1, Epsilon(200.0), random), 1000U);
    EXPECT_EQ(detail::above_threshold(runs, 8, 1, Epsilon(200.0), random), std::nullopt);
    EXPECT_EQ(detail::above_threshold({}, 8, 1, Epsilon(200.0), random), std::nullopt);
}

// No statistics: the privacy loss of the very law that the mechanism was just found to have.
TEST(SparseVector, IsEpsilonPrivateForAllShiftsOfShortSequences) {
    for (const double epsilon : {0.3, 1.0, 2.5}) {
        for (const std::vector<std::int64_t>& queries :
             {std::vector<std::int64_t>{0, 0, 0, 0, 0}, {-3, 5, -3, 5, 0}, {6, 1, -2, -6, 8}}) {
            const auto law = sparse_vector_law(queries, 1, 2.0L / epsilon, 4.0L / epsilon);
            for (int pattern = 0; pattern < 243; ++pattern) {
                std::vector<std::int64_t> neighbour = queries;
                for (int rest = pattern; std::int64_t & query : neighbour) {
                    query += rest % 3 - 1;
                    rest /= 3;
                }
                const auto other = sparse_vector_law(neighbour, 1, 2.0L / epsilon, 4.0L / epsilon);
                ASSERT_LE(privacy_loss(law, other), epsilon * (1.0L + 1e-12L));
            }
        }
    }
}

// A long run that falls by one and a last query that rises by one: the pair that AboveThreshold
// is worst for.
TEST(SparseVector, WorstPairSpendsNearlyEpsilonAndHalfTheNoiseIsRefuted) {
    for (const double epsilon : {0.5, 1.0}) {
        std::vector<std::int64_t> queries(1000, 1);
        queries.push_back(-static_cast<std::int64_t>(40.0 / epsilon));
        std::vector<std::int64_t> neighbour(1000, 0);
        neighbour.push_back(queries.back() + 1);
        const auto loss = [&](long double threshold_scale, long double query_scale) {
            return privacy_loss(sparse_vector_law(queries, 0, threshold_scale, query_scale),
                                sparse_vector_law(neighbour, 0, threshold_scale, query_scale));
        };
        const long double honest = loss(2.0L / epsilon, 4.0L / epsilon);
        EXPECT_LE(honest, epsilon * (1.0L + 1e-12L));
        EXPECT_GE(honest, 0.9L * epsilon);
        // Controls: half of all noise; half of the queries' noise; no noise on the threshold.
        EXPECT_GT(loss(1.0L / epsilon, 2.0L / epsilon), 1.1L * epsilon);
        EXPECT_GT(loss(2.0L / epsilon, 2.0L / epsilon), 1.1L * epsilon);
        EXPECT_GT(loss(0.0L, 4.0L / epsilon), 1.1L * epsilon);
    }
}

}  // namespace
}  // namespace dpcov::test
