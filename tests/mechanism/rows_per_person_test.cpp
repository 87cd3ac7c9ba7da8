// A guarantee for people with several rows: the release of single rows at a smaller budget, told as
// the person's. Proof: docs/privacy.md#groups.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dpcov/accountant.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "support/sphere_rows.hpp"

namespace dpcov {
namespace {

constexpr Eigen::Index columns = 3;

SecondMoment table() {
    SecondMoment moment(
        {.columns = static_cast<std::size_t>(columns), .norm_bound = 1.0, .keep_directions = true});
    const test::Rows rows = test::sphere_rows(2000, static_cast<std::size_t>(columns), 0.7, 1);
    moment.add(Eigen::Map<const Eigen::MatrixXd>(rows.data(), columns, 2000).transpose());
    return moment;
}

double spent(const Release& release) {
    double sum = 0.0;
    for (const Stage<Budget>& stage : release.stages) {
        sum += amount_of(stage.spent);
    }
    return sum;
}

// Under (epsilon, delta)-DP by the curve of zCDP or that of Gaussian noise, after the method.
TEST(RowsPerPerson, IsTheReleaseOfSingleRowsAtASmallerBudget) {
    const SecondMoment moment = table();
    constexpr std::uint32_t rows = 3;
    const ApproximateDp pair{Epsilon(1.0), Delta(1e-6)};
    struct Case {
        Definition of_person;
        Definition of_row;
        std::string method;
    };
    const std::vector<Case> cases = {
        {Rho(0.9), Rho(0.9 / 9.0), "auto"},
        {Rho(0.9), Rho(0.9 / 9.0), "em"},
        {Epsilon(0.75), Epsilon(0.25), "auto"},
        {Epsilon(0.75), Epsilon(0.25), "laplace"},
        {pair, Rho(rho_for(pair, Curve::gaussian).value() / 9.0), "gauss"},
        {pair, Rho(rho_for(pair, Curve::zcdp).value() / 9.0), "adaptive"}};
    for (const Case& tried : cases) {
        ReleaseOptions options{.method = tried.method, .insecure_seed = 7};
        const Release single = release(moment, tried.of_row, options);
        options.rows_per_person = rows;
        const Release person = release(moment, tried.of_person, options);
        EXPECT_EQ(person.covariance, single.covariance) << tried.method;
        EXPECT_EQ(person.rows_per_person, rows);
        EXPECT_EQ(single.rows_per_person, 1U);
        const double times = std::holds_alternative<Epsilon>(tried.of_person) ? 3.0 : 9.0;
        EXPECT_NEAR(spent(person), times * spent(single), 1e-12 * spent(person)) << tried.method;
        options.rows_per_person = 2;  // control
        EXPECT_NE(release(moment, tried.of_person, options).covariance, single.covariance);
    }
}

// All rows of a person at the norm bound, each replaced by one across it: by so many deviations
// may the noisy sum move, and no more.
TEST(RowsPerPerson, AllRowsOfOnePersonMoveTheSumByTheBudgetsDeviations) {
    constexpr double rho = 0.5;
    constexpr std::uint32_t rows = 4;
    const auto deviations_moved = [&](std::uint32_t told) {
        const SecondMoment moment = table();
        const Release noisy = release(
            moment, Rho(rho), {.method = "gauss", .rows_per_person = told, .insecure_seed = 1});
        const double n = 2000.0;
        // x x^T - y y^T of orthogonal unit vectors has norm sqrt(2).
        return rows * std::sqrt(2.0) / n / noisy.statistics.strata.at(0).noise_scale;
    };
    const double allowed = std::sqrt(2.0 * rho);
    EXPECT_LE(deviations_moved(rows), allowed);
    EXPECT_GE(deviations_moved(rows), 0.999 * allowed);
    EXPECT_GT(deviations_moved(rows - 1), 1.3 * allowed);  // negative control
    EXPECT_GT(deviations_moved(1), 3.99 * allowed);
}

TEST(RowsPerPerson, IntervalsAreThoseOfTheSmallerBudget) {
    const SecondMoment moment = table();
    for (const std::string method : {"gauss", "auto"}) {
        const Release person =
            release(moment, Rho(0.9), {.method = method, .rows_per_person = 3, .insecure_seed = 7});
        const Release single = release(moment, Rho(0.1), {.method = method, .insecure_seed = 7});
        const auto of_person = derive_covariance(person);
        const auto of_single = derive_covariance(single);
        EXPECT_EQ(of_person.lower, of_single.lower) << method;
        EXPECT_EQ(of_person.upper, of_single.upper) << method;
        EXPECT_EQ(correlation_matrix(person), correlation_matrix(single)) << method;
    }
}

TEST(RowsPerPerson, TheAccountantIsChargedForThePerson) {
    struct Noting : Accountant {
        void charge(const Charge& charge) override { charges.push_back(charge); }
        void check(const Charge& charge) const override { checked.push_back(charge); }
        std::vector<Charge> charges;
        mutable std::vector<Charge> checked;
    };
    Noting accountant;
    const ReleaseOptions options{.rows_per_person = 5, .accountant = &accountant};
    check_options(Epsilon(0.5), options);
    const Release made = release(table(), Epsilon(0.5), options);
    ASSERT_EQ(accountant.charges.size(), 1U);
    ASSERT_EQ(accountant.checked.size(), 1U);
    for (const Charge& charge : {accountant.charges[0], accountant.checked[0]}) {
        EXPECT_EQ(charge.rows_per_person, 5U);
        EXPECT_EQ(amount_of(charge.spent), 0.5);
    }
    EXPECT_EQ(amount_of(*made.charged), 0.5);
    EXPECT_LE(spent(made), 0.5);
}

TEST(RowsPerPerson, BudgetsThatARowCannotHaveAreRefused) {
    const SecondMoment moment = table();
    const auto told = [&](const Definition& definition, std::uint32_t rows) -> std::string {
        const ReleaseOptions options{.rows_per_person = rows};
        try {
            static_cast<void>(release(moment, definition, options));
        } catch (const UsageError& error) {
            EXPECT_THROW(check_options(definition, options), UsageError);
            return error.what();
        }
        check_options(definition, options);
        return "";
    };
    EXPECT_NE(told(Rho(1.0), 0), "");
    EXPECT_NE(told(Rho(1.0), limits::rows_per_person + 1), "");
    // It says what is enough, and that is.
    const std::string too_small = told(Rho(1e-12), 3);
    EXPECT_NE(too_small.find("at least rho = 9.000000000000001e-12"), std::string::npos)
        << too_small;
    EXPECT_EQ(told(Rho(9.000000000000001e-12), 3), "");
    EXPECT_NE(told(Epsilon(2e-6), 3).find("at least epsilon = 3e-06"), std::string::npos);
    EXPECT_EQ(told(Epsilon(3e-6), 3), "");
}

}  // namespace
}  // namespace dpcov
