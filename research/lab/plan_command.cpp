// What dpcov::plan foretells beside what releases then err by, as CSV for research/pages/plan.py.
//
//   dpcov-lab plan --data DIR --runs 20 > plan.csv
#include <fmt/core.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "derive/column_units.hpp"
#include "derive/correlation_matrix.hpp"
#include "derive/noisy_covariance.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/plan.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "research/bounded_tables.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/stress_tables.hpp"

namespace dpcov::research {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// A table that is planned for, in mapped units, and what is publicly known of it.
struct PlannedTable {
    std::string name;
    TableFacts facts;
    bool center;  // as `dpcov plan` does where nothing is said
    SecondMoment moment;
    MatrixXd rows;
    MatrixXd covariance;
    Eigen::VectorXd mean;
};

// As bounds of all columns have it.
Schema mapped_schema(const MatrixXd& rows) {
    return Schema(static_cast<std::size_t>(rows.cols()),
                  {.bounds = ColumnBounds{.lower = -1.0, .upper = 1.0}});
}

PlannedTable planned_table(std::string name, const MatrixXd& rows, TableFacts facts) {
    const bool center = !facts.schema.empty();
    const auto n = static_cast<double>(rows.rows());
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(rows.cols());
    if (center) {
        mean = rows.colwise().mean();
    }
    facts.rows = static_cast<std::uint64_t>(rows.rows());
    facts.columns = static_cast<std::size_t>(rows.cols());
    const double bound = center ? std::sqrt(static_cast<double>(rows.cols())) : facts.norm_bound;
    // The rows come mapped: the moment takes them as they are.
    PlannedTable table{std::move(name),
                       std::move(facts),
                       center,
                       SecondMoment({.columns = static_cast<std::size_t>(rows.cols()),
                                     .norm_bound = bound,
                                     .keep_directions = true,
                                     .schema = center ? mapped_schema(rows) : Schema{}}),
                       rows,
                       rows.transpose() * rows / n - mean * mean.transpose(),
                       mean};
    table.moment.add(rows);
    return table;
}

constexpr std::array planned_kinds = {"unit norm, embeddings",
                                      "isotropic, uniform norms",
                                      "Gaussian, axes 1/i",
                                      "binary, 5 %",
                                      "census",
                                      "cube [0, 1]",
                                      "Student t, 3 degrees"};
constexpr Index rows_of_kind = 16000;

std::vector<PlannedTable> planned_tables(const std::string& folder) {
    std::vector<PlannedTable> tables;
    for (const BoundedTable& table : bounded_tables(folder)) {
        tables.push_back(planned_table(table.name, table.rows, {.schema = table.schema}));
    }
    for (const char* name : planned_kinds) {
        tables.push_back(planned_table(name,
                                       stress_table(stress_kind(name), rows_of_kind, 1).transpose(),
                                       {.norm_bound = 1.0}));
    }
    return tables;
}

// How a table is released, and what plan is told of that and of the table.
struct Asked {
    Definition definition;
    std::string method;
    int passes = 1;
    bool columns = false;  // plan is told the means and deviations that there are
};

// Sums of squared errors of releases, in units of the mapped rows.
struct SquaredErrors {
    MatrixXd covariance;
    Eigen::VectorXd mean;
    double whole = 0.0;
    double estimated_correlation = 0.0;
    double releases = 0.0;
    double with_law = 0.0;

    explicit SquaredErrors(Index d)
        : covariance(MatrixXd::Zero(d, d)), mean(Eigen::VectorXd::Zero(d)) {}

    void add(const PlannedTable& table, const Release& released) {
        whole += (released.covariance - table.covariance).squaredNorm();
        estimated_correlation +=
            std::pow(detail::root_mean_square_of_pairs(correlation_matrix(released) -
                                                       detail::correlation_of(table.covariance)),
                     2);
        ++releases;
        // Of the noisy statistics, which intervals are about: estimates err less. No law, no such
        // error.
        if (const auto noisy = detail::noisy_covariance(released)) {
            const Eigen::VectorXd units = detail::stretch_of(released).cwiseInverse();
            covariance +=
                (units.asDiagonal() * noisy->matrix * units.asDiagonal() - table.covariance)
                    .cwiseAbs2();
            if (released.centered) {
                mean += (noisy->mean.cwiseProduct(units) + detail::origin_of(released) - table.mean)
                            .cwiseAbs2();
            }
            ++with_law;
        }
    }
};

void print_cell(const PlannedTable& table, const Asked& asked, Neighbours neighbours, int runs) {
    const Index d = table.covariance.rows();
    const Eigen::VectorXd deviations = table.covariance.diagonal().cwiseSqrt();
    TableFacts facts = table.facts;
    if (asked.columns) {
        for (Index j = 0; j < d; ++j) {
            const Column& column = facts.schema[static_cast<std::size_t>(j)];
            facts.deviations.emplace_back(deviations[j] * column.unit());
            facts.means.emplace_back(column.midpoint() + table.mean[j] * column.unit());
        }
    }
    const Plan planned = plan(facts, asked.definition,
                              {.method = asked.method,
                               .neighbours = neighbours,
                               .center = table.center,
                               .passes = asked.passes,
                               .compare_methods = false});
    SquaredErrors errors(d);
    for (int run = 0; run < runs; ++run) {
        ReleaseOptions options{.method = asked.method,
                               .neighbours = neighbours,
                               .center = table.center,
                               .insecure_seed = 1000 + static_cast<std::uint64_t>(run)};
        if (asked.passes == 2) {
            options.read_again = [&](SecondMoment& again) { again.add(table.rows); };
        }
        errors.add(table, release(table.moment, asked.definition, options));
    }
    const bool pure = std::holds_alternative<Epsilon>(asked.definition);
    const double budget = pure ? std::get<Epsilon>(asked.definition).value()
                               : std::get<Rho>(asked.definition).value();
    const auto print = [&](const char* quantity, double foretold, double measured) {
        fmt::print("\"{}\",{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g}\n", table.name, d,
                   table.facts.rows, asked.method, asked.passes,
                   asked.columns ? "columns" : "nothing", pure ? "epsilon" : "rho", budget,
                   name_of(neighbours), quantity, foretold, measured, table.covariance.norm());
    };
    if (errors.with_law > 0.0) {
        const MatrixXd of_covariance = (errors.covariance / errors.with_law).cwiseSqrt();
        print("covariance", planned.covariance_error.value_or(0.0),
              detail::root_mean_square_of_pairs(of_covariance));
        print("variance", planned.variance_error.value_or(0.0),
              std::sqrt(of_covariance.diagonal().squaredNorm() / static_cast<double>(d)));
        if (table.center) {
            print("mean", planned.mean_error.value_or(0.0),
                  std::sqrt(errors.mean.mean() / errors.with_law));
        }
        if (asked.columns) {
            print("correlation", planned.correlation_error,
                  detail::root_mean_square_of_pairs(
                      of_covariance.cwiseQuotient(deviations * deviations.transpose())
                          .cwiseMin(1.0)));
        }
    }
    print("estimated correlation", planned.estimated_correlation_error,
          std::sqrt(errors.estimated_correlation / errors.releases));
    print("whole", planned.frobenius_error, std::sqrt(errors.whole / errors.releases));
    std::fflush(stdout);
}

struct PlanLabArguments {
    std::string folder;
    int runs = 20;
};

void run_plan_cells(const PlanLabArguments& arguments) {
    fmt::print(
        "table,d,n,method,passes,told,definition,budget,neighbours,quantity,planned,measured,"
        "norm\n");
    const std::vector<Asked> releases = {{Rho(0.1), "auto"},        {Rho(1.0), "auto"},
                                         {Epsilon(1.0), "auto"},    {Rho(0.1), "gauss"},
                                         {Epsilon(1.0), "wishart"}, {Rho(0.1), "separate"}};
    // Of tables with bounds.
    const std::vector<Asked> with_columns = {
        {Rho(0.1), "auto", 1, true}, {Rho(1.0), "auto", 1, true}, {Epsilon(1.0), "auto", 1, true},
        {Rho(0.1), "auto", 2, true}, {Rho(1.0), "auto", 2, true}, {Epsilon(1.0), "auto", 2, true}};
    for (const PlannedTable& table : planned_tables(arguments.folder)) {
        for (const auto* asked : {&releases, &with_columns}) {
            if (asked == &with_columns && !table.center) {
                continue;
            }
            for (const Asked& cell : *asked) {
                for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
                    print_cell(table, cell, neighbours, arguments.runs);
                }
            }
        }
    }
}

}  // namespace

void add_plan_command(CLI::App& program) {
    auto* command =
        program.add_subcommand("plan", "What a plan foretells beside what releases err by, as CSV");
    auto arguments = std::make_shared<PlanLabArguments>();
    command->add_option("--data", arguments->folder, "Folder with the real data")
        ->option_text("DIR")
        ->required();
    add_runs(*command, arguments->runs, "Releases of a cell (default: 20)");
    command->callback([arguments] { run_plan_cells(*arguments); });
}

}  // namespace dpcov::research
