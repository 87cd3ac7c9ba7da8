// A plan foretells what a release of such a table then shows.
#include "dpcov/plan.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <variant>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "plan/made_up_table.hpp"
#include "plan/planned_table.hpp"

namespace dpcov {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Schema bounds_of(Index d) {
    Schema schema;
    for (Index j = 0; j < d; ++j) {
        schema.push_back({.bounds = ColumnBounds{.lower = 0.0, .upper = 100.0}});
    }
    return schema;
}

// Uniform columns: another table than the plan makes up.
SecondMoment uniform_table(Index n, const Schema& schema, double least = 10.0,
                           double greatest = 90.0) {
    std::mt19937_64 generator(3);
    std::uniform_real_distribution<double> uniform(least, greatest);
    MatrixXd rows(n, static_cast<Index>(schema.size()));
    for (double& value : rows.reshaped()) {
        value = uniform(generator);
    }
    SecondMoment moment({.schema = schema});
    moment.add(rows);
    return moment;
}

struct Case {
    Definition definition;
    Neighbours neighbours;
    Index columns;
};

// Names the test; else GoogleTest would by bytes, those between the members too.
void PrintTo(const Case& c, std::ostream* out) {
    const char* const definitions[] = {"pure", "zcdp", "approximate"};
    const std::size_t kind = std::holds_alternative<Epsilon>(c.definition) ? 0
                             : std::holds_alternative<Rho>(c.definition)   ? 1
                                                                           : 2;
    *out << std::string(definitions[kind]) +
                (c.neighbours == Neighbours::replace ? "_replace_" : "_add_remove_") +
                std::to_string(c.columns);
}

class PlanForetells : public testing::TestWithParam<Case> {};

// Within the 20 per cent that a plan promises. The noise scales follow from public facts but for
// the strata that the table's norms lead to; nothing here is random from one run to another.
TEST_P(PlanForetells, StandardErrorsOfAnotherTable) {
    const auto& [definition, neighbours, d] = GetParam();
    const Schema schema = bounds_of(d);
    const double spread = 0.8 / std::sqrt(3.0);
    const Plan planned = plan({.rows = 20000, .schema = schema, .spread = spread}, definition,
                              {.neighbours = neighbours, .center = true, .compare_methods = false});
    const Release released =
        release(uniform_table(20000, schema), definition,
                {.neighbours = neighbours, .center = true, .insecure_seed = 5});
    const double unit = 50.0;
    const MatrixEstimate covariance = derive_covariance(released);
    EXPECT_NEAR(*planned.covariance_error * unit * unit / covariance.standard_error(0, 1), 1.0,
                0.2);
    EXPECT_NEAR(*planned.variance_error * unit * unit / covariance.standard_error(0, 0), 1.0, 0.2);
    EXPECT_NEAR(*planned.mean_error * unit / derive_mean(released).standard_error[0], 1.0, 0.2);
    const MatrixEstimate correlation = derive_correlation(released);
    ASSERT_FALSE(std::isnan(correlation.standard_error(0, 1)));
    EXPECT_NEAR(planned.correlation_error / correlation.standard_error(0, 1), 1.0, 0.2);
}

INSTANTIATE_TEST_SUITE_P(
    , PlanForetells,
    testing::Values(Case{Rho(0.1), Neighbours::replace, 6}, Case{Rho(0.01), Neighbours::replace, 3},
                    Case{Rho(0.1), Neighbours::add_remove, 6},
                    Case{Epsilon(1.0), Neighbours::replace, 6},
                    Case{ApproximateDp{Epsilon(1.0), Delta(1e-6)}, Neighbours::replace, 12}));

// Columns that have nothing in common and one variance are the easiest matrix there is: `auto` errs
// less on them than on columns with a common factor and variances that differ, so a plan made of
// them alone would promise too much.
TEST(Plan, ForetellsTheErrorOfAMatrixThatIsNotTheEasiest) {
    constexpr Index d = 10;
    constexpr Index n = 20000;
    const Schema schema = bounds_of(d);
    const auto measured = [&](double share, double factor) {
        std::mt19937_64 generator(9);
        std::normal_distribution<double> normal;
        MatrixXd rows(n, d);
        for (Index i = 0; i < n; ++i) {
            const double common = normal(generator);
            for (Index j = 0; j < d; ++j) {
                const double z =
                    std::sqrt(share) * common + std::sqrt(1.0 - share) * normal(generator);
                rows(i, j) = 20.0 + 10.0 * std::pow(factor, j < d / 2 ? 0.5 : -0.5) *
                                        std::clamp(z, -2.0, 2.0);
            }
        }
        const Eigen::VectorXd mean = rows.colwise().mean();
        const MatrixXd covariance =
            (rows.transpose() * rows / static_cast<double>(n) - mean * mean.transpose()) / 2500.0;
        SecondMoment moment({.schema = schema});
        moment.add(rows);
        double squared = 0.0;
        constexpr int seeds = 10;
        for (int seed = 0; seed < seeds; ++seed) {
            squared += (release(moment, Rho(0.1),
                                {.center = true, .insecure_seed = static_cast<std::uint64_t>(seed)})
                            .covariance -
                        covariance)
                           .squaredNorm() /
                       seeds;
        }
        return std::sqrt(squared);
    };
    const double planned =
        plan({.rows = n, .schema = schema}, Rho(0.1), {.center = true, .compare_methods = false})
            .frobenius_error;
    EXPECT_GT(planned, 1.2 * measured(0.0, 1.0));  // 1.44; control: of alike columns alone 1.0
    EXPECT_GT(planned, 0.5 * measured(0.3, 1.6));  // 0.63
    EXPECT_LT(planned, measured(0.3, 1.6));
}

// Nothing is said of the columns' spread, and they crowd at the lower ends of their bounds, as most
// columns do. Columns that fill their bounds, which puts their means at the midpoints, are the
// negative control: planned so, the error is too low.
TEST(Plan, ForetellsColumnsThatCrowdAtOneEnd) {
    const Schema schema = bounds_of(9);
    const auto planned = [&](std::optional<double> spread) {
        return plan({.rows = 20000, .schema = schema, .spread = spread}, Rho(0.1),
                    {.center = true, .compare_methods = false});
    };
    EXPECT_EQ(planned({}).spread, 0.2);
    const Release released = release(uniform_table(20000, schema, 2.0, 35.0), Rho(0.1),
                                     {.center = true, .insecure_seed = 5});
    const MatrixEstimate covariance = derive_covariance(released);
    const double unit = 50.0;
    const double measured = covariance.standard_error(0, 1) / (unit * unit);
    EXPECT_NEAR(*planned({}).covariance_error / measured, 1.0, 0.2);
    EXPECT_LT(*planned(0.5).covariance_error / measured, 0.8);
    EXPECT_NEAR(*planned({}).variance_error * unit * unit / covariance.standard_error(0, 0), 1.0,
                0.2);
}

// Of these no law of the noise is known, so that a plan draws, and says what those draws were off
// by: nothing here is random. The eight draws are made again, of the same made-up table.
//
// Their means err by the noise that they are told to have, 2 B of the budget's share: chi-squared,
// of 48 degrees of freedom a method, and its deviation is that of 144. Five are allowed, 10^-6.
// Controls: noise with half of the share, and noise that is twice as far down.
TEST(Plan, TellsMethodsWithoutALawOfTheirNoiseApart) {
    const Schema schema = bounds_of(6);
    const double noise = 2.0 * std::sqrt(6.0) / std::sqrt(2.0 * 0.1 * 34.0 / 64.0) / 20000.0;
    double squares = 0.0;
    for (const std::string method : {"separate", "projection", "em"}) {
        SCOPED_TRACE(method);
        const PlanOptions options = {.method = method, .center = true, .compare_methods = false};
        const TableFacts facts = {.rows = 20000, .schema = schema};
        const Plan planned = plan(facts, Rho(0.1), options);
        const auto made = detail::made_up_table(detail::planned_table(facts, options), true,
                                                detail::Columns::independent);
        const double fewer = 20000.0 / made.rows;
        double of_variances = 0.0;
        double of_pairs = 0.0;
        double of_means = 0.0;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const Release released =
                release(made.moment, Rho(0.1 * fewer * fewer),
                        {.method = method, .center = true, .insecure_seed = seed});
            const MatrixXd error = released.covariance - made.covariance;
            of_variances += error.diagonal().squaredNorm() / 48.0;
            of_pairs += (error.squaredNorm() - error.diagonal().squaredNorm()) / 240.0;
            of_means += (*released.mean - made.mean).squaredNorm() / 48.0;
        }
        EXPECT_NEAR(*planned.variance_error, std::sqrt(of_variances), 1e-12);
        EXPECT_NEAR(*planned.covariance_error, std::sqrt(of_pairs), 1e-12);
        EXPECT_NEAR(*planned.mean_error, std::sqrt(of_means), 1e-12);
        // Of these draws; control of the above: the two are not the same.
        EXPECT_GT(*planned.variance_error, 1.1 * *planned.covariance_error);
        squares += 48.0 * std::pow(*planned.mean_error / noise, 2);
    }
    const double allowed = 5.0 * std::sqrt(2.0 * 144.0);
    EXPECT_NEAR(squares, 144.0, allowed);
    EXPECT_GT(2.0 * squares, 144.0 + allowed);
    EXPECT_LT(squares / 4.0, 144.0 - allowed);
}

// Where the number of rows is private its noise is in the mean; and correlations of what is not
// about the mean are over the squares of the columns' distances from the midpoints.
TEST(Plan, CountsTheNoisyNumberOfRowsAndTheMidpoints) {
    const auto planned = [](Neighbours neighbours, bool center) {
        return plan({.rows = 200, .schema = bounds_of(1)}, Rho(1.0),
                    {.method = "gauss",
                     .neighbours = neighbours,
                     .center = center,
                     .compare_methods = false});
    };
    const Schema schema = bounds_of(1);
    SecondMoment moment({.schema = schema});
    // As the plan makes its table up: at 0.6 of half of the range from the midpoint.
    moment.add(Eigen::MatrixXd::Constant(200, 1, schema[0].midpoint() + 0.6 * schema[0].unit()));
    double squares = 0.0;
    constexpr int runs = 400;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        const Release released = release(moment, Rho(1.0),
                                         {.method = "gauss",
                                          .neighbours = Neighbours::add_remove,
                                          .center = true,
                                          .insecure_seed = static_cast<std::uint64_t>(seed)});
        squares += std::pow((*released.mean)[0] - 0.6, 2) / runs;
    }
    EXPECT_NEAR(*planned(Neighbours::add_remove, true).mean_error / std::sqrt(squares), 1.0, 0.2);
    const Plan centred = planned(Neighbours::replace, true);
    const Plan about_midpoints = planned(Neighbours::replace, false);
    EXPECT_NEAR(centred.correlation_error / *centred.covariance_error, 1.0 / 0.04, 1e-9);
    EXPECT_NEAR(about_midpoints.correlation_error / *about_midpoints.covariance_error,
                1.0 / (0.04 + 0.36), 1e-9);
}

// What is known of single columns is told of each entry: within the 20 per cent that a plan
// promises of what releases tell of such a table, in one pass and in two; its columns are uniform.
// The controls: a column whose mean is not told is supposed to be near its upper bound, and where
// nothing is told all columns are alike.
TEST(Plan, ForetellsEveryEntryWhereColumnsAreTold) {
    constexpr Index d = 4;
    constexpr Index n = 20000;
    const Schema schema = bounds_of(d);
    const double deviations[] = {3.0, 8.0, 15.0, 4.0};
    const double means[] = {40.0, 70.0, 50.0, 20.0};
    std::mt19937_64 generator(5);
    std::uniform_real_distribution<double> uniform(-std::sqrt(3.0), std::sqrt(3.0));
    MatrixXd rows(n, d);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < d; ++j) {
            rows(i, j) = means[j] + deviations[j] * uniform(generator);
        }
    }
    SecondMoment moment({.schema = schema});
    moment.add(rows);
    TableFacts facts{.rows = n,
                     .schema = schema,
                     .deviations = {3.0, 8.0, 15.0, 4.0},
                     .means = {40.0, 70.0, 50.0, 20.0}};
    for (const int passes : {1, 2}) {
        const Plan planned =
            plan(facts, Rho(0.5), {.center = true, .passes = passes, .compare_methods = false});
        // Where the strata end differs from release to release.
        constexpr std::uint64_t seeds = 20;
        MatrixXd correlation = MatrixXd::Zero(d, d);
        MatrixXd covariance = MatrixXd::Zero(d, d);
        Eigen::VectorXd mean = Eigen::VectorXd::Zero(d);
        for (std::uint64_t seed = 100; seed < 100 + seeds; ++seed) {
            ReleaseOptions options{.center = true, .insecure_seed = seed};
            if (passes == 2) {
                options.read_again = [&](SecondMoment& again) { again.add(rows); };
            }
            const Release released = release(moment, Rho(0.5), options);
            correlation += derive_correlation(released).standard_error.cwiseAbs2() / seeds;
            covariance += derive_covariance(released).standard_error.cwiseAbs2() / seeds;
            mean += derive_mean(released).standard_error.cwiseAbs2() / seeds;
        }
        const double unit = 50.0;
        for (Index i = 0; i < d; ++i) {
            EXPECT_NEAR(planned.mean_errors[i] * unit / std::sqrt(mean[i]), 1.0, 0.2) << passes;
            EXPECT_EQ(planned.correlation_errors(i, i), 0.0);
            for (Index j = 0; j <= i; ++j) {
                EXPECT_NEAR(
                    planned.covariance_errors(i, j) * unit * unit / std::sqrt(covariance(i, j)),
                    1.0, 0.2)
                    << passes << ' ' << i << ' ' << j;
                if (j < i && !std::isnan(correlation(i, j))) {
                    EXPECT_NEAR(planned.correlation_errors(i, j) / std::sqrt(correlation(i, j)),
                                1.0, 0.2)
                        << passes << ' ' << i << ' ' << j;
                }
            }
        }
        EXPECT_GT(planned.correlation_errors(3, 0), 2.5 * planned.correlation_errors(2, 1));
        facts.means = {};
        EXPECT_GT(
            *plan(facts, Rho(0.5), {.center = true, .passes = passes, .compare_methods = false})
                 .covariance_error,
            1.1 * *planned.covariance_error);
        facts.means = {40.0, 70.0, 50.0, 20.0};
    }
    const Plan alike =
        plan({.rows = n, .schema = schema}, Rho(0.5), {.center = true, .compare_methods = false});
    EXPECT_EQ(alike.correlation_errors(3, 0), alike.correlation_errors(2, 1));
}

// Of wide bounds: two passes make intervals wider, and estimates better.
TEST(Plan, TellsThatTwoPassesEstimateBetterUnderWideBounds) {
    const auto planned = [](int passes) {
        return plan({.rows = 20000, .schema = bounds_of(6), .spread = 0.05}, Rho(0.3),
                    {.center = true, .passes = passes, .compare_methods = false});
    };
    EXPECT_LT(planned(2).estimated_correlation_error, 0.6 * planned(1).estimated_correlation_error);
    EXPECT_LT(planned(1).estimated_correlation_error, planned(1).correlation_error);
}

// What is told of columns is of the table, and a long tail loses much of its deviation when rows
// are clipped: 0.74 of it is left in the second column of the first of these without widening.
TEST(Plan, MakesColumnsUpThatVaryAsIsToldWhenTheyAreClipped) {
    const auto expect_told = [](const TableFacts& facts) {
        const PlanOptions options{.center = true};
        const detail::PlannedTable planned = detail::planned_table(facts, options);
        const auto made = detail::made_up_table(planned, true, detail::Columns::related);
        for (Index j = 0; j < planned.columns(); ++j) {
            EXPECT_NEAR(std::sqrt(made.covariance(j, j)) / planned.deviations[j], 1.0, 0.01) << j;
        }
    };
    for (const std::size_t d : {2U, 8U}) {
        TableFacts facts{.rows = 1000, .columns = d, .norm_bound = 1.0};
        facts.deviations.resize(d);
        facts.deviations[0] = 0.1;
        expect_told(facts);
    }
    expect_told({.rows = 20000,
                 .schema = bounds_of(3),
                 .deviations = {15.0, 25.0, 5.0},
                 .means = {60.0, 35.0, 90.0}});
}

// Estimates are shrunk, and err less than the noise, as long as both are of columns that vary
// alike.
TEST(Plan, TellsThatEstimatesErrLessThanNoiseWithoutBounds) {
    for (const std::size_t d : {2U, 3U, 5U, 8U}) {
        for (const std::uint64_t rows : {1000U, 10000U}) {
            TableFacts facts{.rows = rows, .columns = d, .norm_bound = 1.0};
            facts.deviations.resize(d);
            facts.deviations[0] = 0.1;
            const Plan planned = plan(facts, Rho(1.0), {.compare_methods = false});
            EXPECT_LT(planned.estimated_correlation_error, planned.correlation_error)
                << d << ' ' << rows;
        }
    }
}

TEST(Plan, KnowsHowMuchAnIndicatorVariesByItsMean) {
    TableFacts facts{.rows = 20000, .schema = bounds_of(2), .means = {40.0, 0.25}};
    facts.schema[1] = {.name = "region=south", .bounds = ColumnBounds{0.0, 1.0}};
    const auto planned = [&] { return plan(facts, Rho(0.1), {.center = true}).correlation_errors; };
    const MatrixXd by_mean = planned();
    facts.deviations = {std::nullopt, std::sqrt(0.25 * 0.75)};
    EXPECT_TRUE(by_mean.isApprox(planned(), 1e-12));
    facts.deviations = {std::nullopt, 0.1};  // what is told counts
    EXPECT_GT(planned()(0, 1), 1.5 * by_mean(0, 1));
    const double told = planned()(0, 1);
    facts.deviations.clear();
    facts.schema[1].name = "south";  // may be a share itself
    EXPECT_NEAR(planned()(0, 1), told, 1e-12);
    facts.schema[1].name = "region=south";
    facts.means[1] = 0.0;  // no row has it
    EXPECT_TRUE(planned().allFinite());
}

TEST(Plan, RefusesPassesAndDeviationsThatCannotBe) {
    const TableFacts bounded{.rows = 1000, .schema = bounds_of(3)};
    const auto expect_refused = [](const TableFacts& facts, const PlanOptions& options) {
        EXPECT_THROW(static_cast<void>(plan(facts, Rho(0.1), options)), UsageError);
    };
    expect_refused(bounded, {.center = true, .passes = 3});
    expect_refused(bounded, {.center = true, .passes = 0});
    expect_refused(bounded, {.center = false, .passes = 2});
    expect_refused(bounded, {.method = "gauss", .center = true, .passes = 2});
    expect_refused({.rows = 1000, .columns = 3, .norm_bound = 1.0}, {.center = true, .passes = 2});
    TableFacts facts = bounded;
    for (const double none : {0.0, -1.0, 50.1, std::nan(""), HUGE_VAL}) {
        facts.deviations = {5.0, none, 5.0};
        expect_refused(facts, {});
    }
    facts.deviations = {5.0, 5.0};
    expect_refused(facts, {});
    facts.deviations = {5.0, 50.0, std::nullopt};
    for (const double none : {-0.1, 100.1, std::nan(""), HUGE_VAL}) {
        facts.means = {5.0, none, 5.0};
        expect_refused(facts, {});
    }
    facts.deviations = {std::nullopt, 30.0, std::nullopt};
    facts.means = {0.0, 10.0, 100.0};
    EXPECT_NO_THROW(static_cast<void>(plan(facts, Rho(0.1), {.compare_methods = false})));
    facts.deviations[1] = 31.0;  // more than of zeros and hundreds
    expect_refused(facts, {});
}

TEST(Plan, KnowsWhereNothingWouldBeSeen) {
    EXPECT_TRUE(plan({.rows = 100, .columns = 200, .norm_bound = 1.0}, Rho(1e-6)).nothing_seen);
    EXPECT_TRUE(plan({.rows = 300, .schema = bounds_of(5)}, Rho(1e-4)).nothing_seen);
    EXPECT_FALSE(plan({.rows = 100000, .columns = 5, .norm_bound = 1.0}, Rho(1.0)).nothing_seen);
}

TEST(Plan, KnowsADeltaThatIsNotBelowOneOverTheRows) {
    const TableFacts facts = {.rows = 1000, .columns = 3, .norm_bound = 1.0};
    const auto not_small = [&](const Definition& definition) {
        return plan(facts, definition, {.compare_methods = false}).delta_not_small;
    };
    EXPECT_TRUE(not_small(ApproximateDp{Epsilon(1.0), Delta(1e-3)}));
    EXPECT_FALSE(not_small(ApproximateDp{Epsilon(1.0), Delta(0.9e-3)}));
    EXPECT_FALSE(not_small(Rho(1.0)));
}

// Where nothing is drawn there is nothing to be told; what zero errs by is no standard error.
TEST(Plan, TellsNoErrorsOfWhatIsNotDrawn) {
    const TableFacts few = {.rows = 10, .columns = 30, .norm_bound = 1.0};
    const Plan nothing = plan(few, Rho(0.001));
    EXPECT_TRUE(nothing.nothing_seen);
    EXPECT_FALSE(nothing.covariance_error || nothing.variance_error || nothing.mean_error);
    EXPECT_EQ(nothing.correlation_error, 1.0);
    for (const ExpectedError& expected : nothing.methods) {
        EXPECT_EQ(expected.correlation_error.has_value(), expected.method == "gauss")
            << expected.method;
    }
    const Plan drawn = plan(few, Rho(0.1));
    EXPECT_TRUE(drawn.covariance_error && drawn.variance_error);
    EXPECT_FALSE(drawn.mean_error);  // it is not centred
    EXPECT_FALSE(plan({.rows = 1000, .schema = bounds_of(2)}, Rho(1.0), {.method = "zero"})
                     .covariance_error);
}

TEST(Plan, IsOfTheNormBoundThatRowsWouldHave) {
    TableFacts facts{.rows = 1000, .schema = bounds_of(3)};
    const Plan expected = plan(facts, Rho(0.1));
    facts.norm_bound = 17.0;
    EXPECT_EQ(plan(facts, Rho(0.1)).covariance_error, expected.covariance_error);
}

TEST(Plan, RefusesMethodsThatClip) {
    EXPECT_THROW((void)plan({.rows = 1000, .columns = 3, .norm_bound = 1.0}, Rho(1.0),
                            {.method = "clip-gauss"}),
                 UsageError);
}

TEST(Plan, ComparesMethodsThatMeetTheDefinition) {
    const TableFacts facts{.rows = 10000, .columns = 4, .norm_bound = 1.0};
    const Plan pure = plan(facts, Epsilon(1.0));
    const auto has = [&](const std::string& name) {
        return std::any_of(pure.methods.begin(), pure.methods.end(),
                           [&](const ExpectedError& error) { return error.method == name; });
    };
    EXPECT_TRUE(has("auto"));
    EXPECT_TRUE(has("wishart"));
    EXPECT_TRUE(has("zero"));
    EXPECT_FALSE(has("gauss"));
    for (const ExpectedError& expected : pure.methods) {
        const bool has_intervals = find_method(expected.method).has_intervals;
        EXPECT_EQ(expected.correlation_error.has_value(), has_intervals) << expected.method;
        if (has_intervals) {
            const PlanOptions options{.method = expected.method, .compare_methods = false};
            EXPECT_EQ(plan(facts, Epsilon(1.0), options).correlation_error,
                      *expected.correlation_error)
                << expected.method;
        }
    }
    EXPECT_TRUE(std::is_sorted(
        pure.methods.begin(), pure.methods.end(),
        [](const ExpectedError& a, const ExpectedError& b) { return a.error < b.error; }));
}

TEST(Plan, FindsTheBudgetForAnErrorOfCorrelations) {
    const TableFacts facts{.rows = 20000, .schema = bounds_of(5)};
    const PlanOptions options{.center = true};
    for (const Definition& definition :
         {Definition(rho_for_correlation_error(facts, 0.02, options)),
          Definition(epsilon_for_correlation_error(facts, 0.02, options))}) {
        // The noise steps where the strata change.
        const double error = plan(facts, definition, options).correlation_error;
        EXPECT_LE(error, 0.02);
        EXPECT_GT(error, 0.018);
    }
}

// Budgets are of a person: noise and errors are those of single rows at less.
TEST(Plan, DividesAPersonsBudgetAmongTheirRows) {
    const TableFacts facts{.rows = 20000, .schema = bounds_of(5)};
    const PlanOptions single{.center = true};
    const PlanOptions person{.rows_per_person = 4, .center = true};
    const Plan of_single = plan(facts, Rho(0.01), single);
    const Plan of_person = plan(facts, Rho(0.16), person);
    EXPECT_EQ(of_person.correlation_error, of_single.correlation_error);
    EXPECT_EQ(of_person.frobenius_error, of_single.frobenius_error);
    EXPECT_GT(of_person.correlation_error, plan(facts, Rho(0.16), single).correlation_error);
    EXPECT_EQ(plan(facts, Epsilon(2.0), person).correlation_error,
              plan(facts, Epsilon(0.5), single).correlation_error);
    const double found = rho_for_correlation_error(facts, 0.05, person).value();
    EXPECT_NEAR(found, 16.0 * rho_for_correlation_error(facts, 0.05, single).value(), 0.02 * found);
    EXPECT_THROW(static_cast<void>(plan(facts, Rho(1.0), {.rows_per_person = 0})), UsageError);
    const TableFacts many{.rows = 1'000'000'000'000, .schema = bounds_of(2)};
    EXPECT_NEAR(rho_for_correlation_error(many, 0.5, {.rows_per_person = 3}).value(), 9e-12, 1e-24);
}

// It is not searched for where the least that a release takes is enough.
TEST(Plan, TakesTheLeastBudgetThereIs) {
    const TableFacts facts{.rows = 1'000'000'000'000, .schema = bounds_of(2)};
    EXPECT_EQ(rho_for_correlation_error(facts, 0.5).value(), 1e-12);
    EXPECT_LT(epsilon_for_correlation_error(facts, 0.5).value(), 1.01e-6);
}

// With as good as no noise the plan for so many rows would ask for more than the greatest budget.
TEST(Plan, IsOfAsManyRowsAsThereMayBe) {
    const TableFacts facts{.rows = std::uint64_t{1} << 48U, .schema = bounds_of(3)};
    EXPECT_LT(rho_for_correlation_error(facts, 0.01, {.center = true}).value(), 1e-6);
    EXPECT_GT(*plan(facts, Rho(1e20), {.center = true, .compare_methods = false}).variance_error,
              0.0);
}

TEST(Plan, SaysThatNoBudgetIsEnough) {
    EXPECT_THROW(static_cast<void>(rho_for_correlation_error(
                     {.rows = 100, .columns = 3, .norm_bound = 1.0}, 1e-12)),
                 UsageError);
}

TEST(Plan, IsGivenUpAtAnyCheck) {
    struct GivenUp {};
    const TableFacts facts{.rows = 5000, .columns = 20, .norm_bound = 1.0};
    int checks = 0;
    int last = 0;  // none
    PlanOptions options{.compare_methods = false};
    options.check_interrupt = [&] {
        if (++checks == last) {
            throw GivenUp();
        }
    };
    static_cast<void>(plan(facts, Rho(0.1), options));
    const int all = checks;
    ASSERT_GT(all, 5);
    for (const int at : {1, all / 2, all}) {
        last = at;
        checks = 0;
        EXPECT_THROW(static_cast<void>(plan(facts, Rho(0.1), options)), GivenUp);
        EXPECT_EQ(checks, at);
    }
    checks = 0;
    last = all + 1;  // a budget takes more than one plan
    EXPECT_THROW(static_cast<void>(rho_for_correlation_error(facts, 0.1, options)), GivenUp);
}

// Where noise hides the number of rows a draw may tell of one row, and its noise over that is 178
// times as much as over those that there are. Releases of such a table tell 0.5 (median of 200).
TEST(Plan, OfFewRowsWhoseNumberIsHiddenIsOverTheRowsThatThereAre) {
    const TableFacts facts{.rows = 178, .schema = bounds_of(14), .spread = 0.1};
    const Plan hidden =
        plan(facts, Rho(0.02),
             {.neighbours = Neighbours::add_remove, .center = true, .compare_methods = false});
    EXPECT_GT(*hidden.covariance_error, 0.25);
    EXPECT_LT(*hidden.covariance_error, 1.0);
}

TEST(Plan, RefusesFactsThatAreNone) {
    EXPECT_THROW(static_cast<void>(plan({.columns = 3, .norm_bound = 1.0}, Rho(1.0))), UsageError);
    EXPECT_THROW(static_cast<void>(plan({.rows = 10, .columns = 3}, Rho(1.0))), UsageError);
    EXPECT_THROW(static_cast<void>(plan({.rows = 10, .norm_bound = 1.0}, Rho(1.0))), UsageError);
    EXPECT_THROW(static_cast<void>(
                     plan({.rows = 10, .columns = 3, .norm_bound = 1.0, .spread = 0.0}, Rho(1.0))),
                 UsageError);
    for (const double none : {-1.0, std::nan(""), HUGE_VAL}) {
        EXPECT_THROW(static_cast<void>(
                         plan({.rows = 10, .norm_bound = none, .schema = bounds_of(3)}, Rho(1.0))),
                     UsageError)
            << none;
    }
    EXPECT_THROW(
        static_cast<void>(plan({.rows = 10, .columns = 3, .schema = bounds_of(2)}, Rho(1.0))),
        UsageError);
    EXPECT_THROW(
        static_cast<void>(plan({.rows = 10, .columns = 32767, .norm_bound = 1.0}, Rho(1.0))),
        UsageError);
    EXPECT_THROW(static_cast<void>(
                     rho_for_correlation_error({.rows = 10, .columns = 3, .norm_bound = 1.0}, 1.5)),
                 UsageError);
}

// Noise off the diagonal has half the variance of that on it.
TEST(Plan, OfOneColumnTellsWhatAnotherLikeItWouldHave) {
    const Plan told = plan({.rows = 1000, .columns = 1, .norm_bound = 1.0}, Rho(0.1),
                           {.method = "gauss", .compare_methods = false});
    EXPECT_NEAR(*told.covariance_error, std::sqrt(0.5) * *told.variance_error, 1e-12);
    EXPECT_LT(told.correlation_error, 1.0);
}

}  // namespace
}  // namespace dpcov
