// What dpcov::plan foretells beside what releases then err by, as CSV for scripts/plan.py.
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

#include "derive/noisy_covariance.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/plan.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "research/bounded_tables.hpp"
#include "research/lab/commands.hpp"
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
    MatrixXd covariance;
    Eigen::VectorXd mean;
};

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
                                     .keep_directions = true}),
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
        for (const StressKind& kind : stress_kinds()) {
            if (kind.name == std::string(name)) {
                tables.push_back(planned_table(
                    name, stress_table(kind, rows_of_kind, 1).transpose(), {.norm_bound = 1.0}));
            }
        }
    }
    return tables;
}

// Sums of squared errors, and how many there are.
struct SquaredError {
    const char* quantity = "";
    double planned = 0.0;
    double sum = 0.0;
    double count = 0.0;

    void add(double squared, double values) {
        sum += squared;
        count += values;
    }
};

// Of the noisy statistics, which intervals are about: estimates err less. No law, no such error.
void add_entry_errors(std::array<SquaredError, 4>& errors, const PlannedTable& table,
                      const Release& released) {
    const auto noisy = detail::noisy_covariance(released);
    if (!noisy) {
        return;
    }
    const auto d = static_cast<double>(noisy->columns());
    const MatrixXd error = noisy->matrix - table.covariance;
    const double on_diagonal = error.diagonal().squaredNorm();
    errors[0].add(error.squaredNorm() - on_diagonal, d * (d - 1.0));
    errors[1].add(on_diagonal, d);
    if (released.centered) {
        errors[2].add((noisy->mean - table.mean).squaredNorm(), d);
    }
}

void print_cell(const PlannedTable& table, const Definition& definition, const std::string& method,
                Neighbours neighbours, int runs) {
    const Plan planned = plan(table.facts, definition,
                              {.method = method,
                               .neighbours = neighbours,
                               .center = table.center,
                               .compare_methods = false});
    std::array<SquaredError, 4> errors = {{{"covariance", planned.covariance_error.value_or(0.0)},
                                           {"variance", planned.variance_error.value_or(0.0)},
                                           {"mean", planned.mean_error.value_or(0.0)},
                                           {"whole", planned.frobenius_error}}};
    for (int run = 0; run < runs; ++run) {
        const Release released = release(table.moment, definition,
                                         {.method = method,
                                          .neighbours = neighbours,
                                          .center = table.center,
                                          .insecure_seed = 1000 + static_cast<std::uint64_t>(run)});
        add_entry_errors(errors, table, released);
        errors[3].add((released.covariance - table.covariance).squaredNorm(), 1.0);
    }
    const bool pure = std::holds_alternative<Epsilon>(definition);
    const double budget =
        pure ? std::get<Epsilon>(definition).value() : std::get<Rho>(definition).value();
    for (const SquaredError& error : errors) {
        if (error.count > 0.0) {
            fmt::print("\"{}\",{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g}\n", table.name,
                       table.covariance.rows(), table.facts.rows, method, pure ? "epsilon" : "rho",
                       budget, name_of(neighbours), error.quantity, error.planned,
                       std::sqrt(error.sum / error.count), table.covariance.norm());
        }
    }
    std::fflush(stdout);
}

struct PlanLabArguments {
    std::string folder;
    int runs = 20;
};

void run_plan_cells(const PlanLabArguments& arguments) {
    fmt::print("table,d,n,method,definition,budget,neighbours,quantity,planned,measured,norm\n");
    const std::vector<std::pair<Definition, std::string>> releases = {
        {Rho(0.1), "auto"},  {Rho(1.0), "auto"},        {Epsilon(1.0), "auto"},
        {Rho(0.1), "gauss"}, {Epsilon(1.0), "wishart"}, {Rho(0.1), "separate"}};
    for (const PlannedTable& table : planned_tables(arguments.folder)) {
        for (const auto& [definition, method] : releases) {
            for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
                print_cell(table, definition, method, neighbours, arguments.runs);
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
    command->add_option("--runs", arguments->runs, "Releases of a cell (default: 20)")
        ->option_text("R")
        ->check(CLI::PositiveNumber);
    command->callback([arguments] { run_plan_cells(*arguments); });
}

}  // namespace dpcov::research
