// The paper's theorems end to end: the mechanisms themselves, as `paper`, against the bounds.
//
// A bound that fails with probability beta = 0.1 is refuted when more of 200 runs exceed it than a
// Binomial(200, 0.1) does with probability 1e-6: more than 20 + sqrt(60 log(1e6)) = 48. False
// alarm: 1e-6 a comparison, 14 comparisons, fixed seeds. Controls: a part of the bound that is
// refuted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpcov/bounds.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

constexpr double beta = 0.1;
constexpr int runs = 200;
constexpr int refutes = 48;

std::vector<double> norms_of(const Rows& rows, std::size_t d) {
    std::vector<double> norms;
    for (std::size_t i = 0; i < rows.size(); i += d) {
        double squares = 0.0;
        for (std::size_t j = 0; j < d; ++j) squares += rows[i + j] * rows[i + j];
        norms.push_back(std::sqrt(squares));
    }
    return norms;
}

template <class Share>
std::vector<double> errors_of(const char* method, const Rows& rows, std::size_t d, Share budget) {
    const detail::SecretMoment moment = moment_of(rows, d);
    const Eigen::MatrixXd truth = covariance_of(rows, d);
    ReleaseOptions options;
    options.variant = Variant::paper;
    options.beta = beta;
    std::vector<double> errors;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        SeededRandomSource random(seed);
        const Release release =
            detail::run_method(find_method(method), moment, Budget(budget), options, random);
        errors.push_back((release.covariance - truth).norm());
    }
    return errors;
}

bool refuted(double bound, const std::vector<double>& errors) {
    return std::count_if(errors.begin(), errors.end(),
                         [&](double error) { return error > bound; }) > refutes;
}

struct Table {
    Rows rows;
    std::size_t d;
    double control;  // the part of AdaptiveCov's bound that does not hold
};

std::vector<Table> tables() {
    return {{sphere_rows(2000, 4, 1.0, 1), 4, 0.01},
            {sphere_rows(1500, 10, 0.02, 2) + sphere_rows(500, 10, 0.3, 3), 10, 0.02},
            {sphere_rows(1990, 6, 0x1p-6, 4) + sphere_rows(10, 6, 1.0, 5), 6, 0.003},
            {sphere_rows(1000, 3, 0x1p-20, 6), 3, 0.008},
            {Rows(400, 0.0) + sphere_rows(30, 2, 0.7, 7), 2, 0.006}};
}

TEST(ErrorBoundsEndToEnd, AdaptiveCovHolds) {
    for (const Table& table : tables()) {
        const std::vector<double> norms = norms_of(table.rows, table.d);
        const double bound = adaptive_error_bound(norms, table.d, Rho(0.5), 1.0, beta);
        const auto errors = errors_of("adaptive", table.rows, table.d, Rho(0.5));
        EXPECT_FALSE(refuted(bound, errors)) << table.d;
        EXPECT_TRUE(refuted(table.control * bound, errors)) << table.d;
        const double pure = adaptive_error_bound(norms, table.d, Epsilon(1.0), 1.0, beta);
        const auto pure_errors = errors_of("adaptive", table.rows, table.d, Epsilon(1.0));
        EXPECT_FALSE(refuted(pure, pure_errors)) << table.d;
        EXPECT_TRUE(refuted(table.control * pure, pure_errors)) << table.d;
    }
}

TEST(ErrorBoundsEndToEnd, ProjectionHolds) {
    for (const Table& table : tables()) {
        const std::size_t n = table.rows.size() / table.d;
        const double bound = projection_error_bound(table.d, n, Rho(0.5), 1.0, beta);
        const auto errors = errors_of("projection", table.rows, table.d, Rho(0.5));
        EXPECT_FALSE(refuted(bound, errors)) << table.d;
        EXPECT_TRUE(refuted(0.1 * bound, errors)) << table.d;
    }
}

// A table is as good as its rows: the bound does not ask for an order, follows the units, and falls
// with more rows and shorter ones.
TEST(ErrorBoundsEndToEnd, AdaptiveBoundFollowsTheTable) {
    std::vector<double> norms(5000, 0.01);
    const auto bound = [&](double r = 1.0) {
        return adaptive_error_bound(norms, 20, Rho(0.5), r, beta);
    };
    const double short_rows = bound();
    norms.front() = 1.0;
    const double one_long = bound();
    std::swap(norms.front(), norms[77]);
    EXPECT_EQ(bound(), one_long);
    EXPECT_GT(one_long, short_rows);
    for (double& norm : norms) norm *= 8.0;
    EXPECT_NEAR(bound(8.0), 64.0 * one_long, 1e-9 * one_long);
    norms.assign(5000, 1.0);
    EXPECT_GT(bound(), 100.0 * short_rows);
    const double before = bound();
    norms.assign(50000, 1.0);
    EXPECT_LT(bound(), 0.5 * before);
}

}  // namespace
}  // namespace dpcov::test
