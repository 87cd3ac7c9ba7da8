// How often intervals hold the truth, over many releases of tables, as CSV for
// research/pages/derived.py.
//
//   dpcov-lab coverage --runs 1000 > coverage.csv
#include <fmt/core.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <variant>

#include "arithmetic/eigen_decomposition.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/stress_tables.hpp"

namespace dpcov::research {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct CoveredKind {
    const char* name;
    Index columns;
};
constexpr std::array kinds = {CoveredKind{"narrow", 3},
                              CoveredKind{"narrow, off centre", 8},
                              CoveredKind{"census", 17},
                              CoveredKind{"cube [0, 1]", 6},
                              CoveredKind{"Gaussian, axes 1/i", 6},
                              CoveredKind{"Student t, 3 degrees", 6},
                              CoveredKind{"binary, 5 %", 8},
                              CoveredKind{"unit norm, isotropic", 5}};
constexpr Index rows_of_table = 4000;

MatrixXd table_of(const CoveredKind& wanted) {
    StressKind kind = stress_kind(wanted.name);
    kind.columns = wanted.columns;
    return stress_table(kind, rows_of_table, 1).transpose();
}

// What the table says itself.
struct TableTruth {
    MatrixXd covariance;
    VectorXd mean;
    double greatest = 0.0;
    VectorXd coefficients;  // of the last column on the others
    double intercept = 0.0;
};

// The shortest of all x with A x = b, A positive semidefinite.
VectorXd shortest_solution(const MatrixXd& a, const VectorXd& b) {
    const auto [values, vectors] = detail::eigen_decomposition(a);
    const double rounded = 1e-13 * values.maxCoeff();
    const VectorXd inverse =
        values.unaryExpr([=](double value) { return value > rounded ? 1.0 / value : 0.0; });
    return vectors * inverse.cwiseProduct(vectors.transpose() * b);
}

TableTruth truth_of(const MatrixXd& table) {
    TableTruth truth;
    truth.mean = table.colwise().mean();
    const MatrixXd centred = table.rowwise() - truth.mean.transpose();
    truth.covariance = centred.transpose() * centred / static_cast<double>(table.rows());
    const Index p = table.cols() - 1;
    truth.greatest = detail::eigenvalues(truth.covariance)[p];
    truth.coefficients =
        shortest_solution(truth.covariance.topLeftCorner(p, p), truth.covariance.col(p).head(p));
    truth.intercept = truth.mean[p] - truth.mean.head(p).dot(truth.coefficients);
    return truth;
}

struct Count {
    const char* quantity = "";
    int inside = 0;
    int given = 0;
    int wrong = 0;  // wide intervals, too, that do not hold the truth; none is not wrong

    void add(bool is_given, double lower, double upper, double truth) {
        given += is_given ? 1 : 0;
        inside += is_given && lower <= truth && truth <= upper ? 1 : 0;
        wrong += truth < lower || truth > upper ? 1 : 0;
    }
};
using Counts = std::array<Count, 8>;

void count(Counts& counts, const Release& release, const TableTruth& truth) {
    const MatrixXd& c = truth.covariance;
    const MatrixEstimate covariance = derive_covariance(release);
    counts[0].add(true, covariance.lower(0, 1), covariance.upper(0, 1), c(0, 1));
    counts[1].add(true, covariance.lower(0, 0), covariance.upper(0, 0), c(0, 0));
    const VectorEstimate mean = derive_mean(release);
    counts[2].add(true, mean.lower[0], mean.upper[0], truth.mean[0]);
    const MatrixEstimate correlation = derive_correlation(release);
    counts[3].add(!std::isnan(correlation.standard_error(0, 1)), correlation.lower(0, 1),
                  correlation.upper(0, 1), c(0, 1) / std::sqrt(c(0, 0) * c(1, 1)));
    const PrincipalComponents components = derive_pca(release, 1);
    const VectorEstimate& variance = components.explained_variance;
    counts[4].add(!std::isnan(variance.standard_error[0]), variance.lower[0], variance.upper[0],
                  truth.greatest);
    const VectorEstimate& ratio = components.explained_variance_ratio;
    counts[5].add(!std::isnan(ratio.standard_error[0]), ratio.lower[0], ratio.upper[0],
                  truth.greatest / c.trace());
    const Regression regression = derive_regression(release, c.rows() - 1);
    counts[6].add(!std::isnan(regression.coefficients.standard_error[0]),
                  regression.coefficients.lower[0], regression.coefficients.upper[0],
                  truth.coefficients[0]);
    if (const auto& interval = regression.intercept_interval) {
        counts[7].add(true, interval->lower, interval->upper, truth.intercept);
    }
}

void print_cell(const CoveredKind& kind, const SecondMoment& moment, const TableTruth& truth,
                const Definition& definition, double budget, Neighbours neighbours,
                std::uint64_t first_seed, int runs) {
    Counts counts = {{{"covariance"},
                      {"variance"},
                      {"mean"},
                      {"correlation"},
                      {"eigenvalue"},
                      {"share"},
                      {"coefficient"},
                      {"intercept"}}};
    int releases = 0;
    for (int run = 0; run < runs; ++run) {
        const Release released =
            release(moment, definition,
                    {.neighbours = neighbours,
                     .center = true,
                     .insecure_seed = first_seed + static_cast<std::uint64_t>(run)});
        if (!released.statistics.strata.empty()) {
            ++releases;
            count(counts, released, truth);
        }
    }
    for (const Count& each : counts) {
        fmt::print("\"{}\",{},{},{},{},{},{},{},{},{}\n", kind.name, kind.columns,
                   std::holds_alternative<Rho>(definition) ? "gaussian" : "wishart",
                   name_of(neighbours), budget, each.quantity, releases, each.given, each.inside,
                   each.wrong);
    }
    std::fflush(stdout);
}

void run_coverage(int runs) {
    fmt::print("table,d,noise,neighbours,budget,quantity,releases,given,inside,wrong\n");
    std::uint64_t first_seed = 0;  // no two cells share noise, so their counts may be added up
    const auto next_seed = [&] {
        return std::exchange(first_seed, first_seed + static_cast<std::uint64_t>(runs));
    };
    for (const CoveredKind& kind : kinds) {
        const MatrixXd table = table_of(kind);
        const TableTruth truth = truth_of(table);
        SecondMoment moment({.columns = static_cast<std::size_t>(kind.columns), .norm_bound = 1.0});
        moment.add(table);
        for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
            for (const double rho : {0.01, 0.1, 1.0}) {
                print_cell(kind, moment, truth, Rho(rho), rho, neighbours, next_seed(), runs);
            }
            for (const double epsilon : {0.2, 1.0, 4.0}) {
                print_cell(kind, moment, truth, Epsilon(epsilon), epsilon, neighbours, next_seed(),
                           runs);
            }
        }
    }
}

}  // namespace

void add_coverage_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "coverage", "How often intervals of level 0.95 hold the truth, as CSV");
    auto runs = std::make_shared<int>(1000);
    add_runs(*command, *runs, "Releases of a cell (default: 1000)");
    command->callback([runs] { run_coverage(*runs); });
}

}  // namespace dpcov::research
