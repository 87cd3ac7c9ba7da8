// What moving each constant of src/partition/partition_tuning.hpp does to the errors of
// `stratified`, as CSV, for docs/tuning.md.
//
//   dpcov-lab partition --runs 20 > partition.csv
//   research/pages/tuning.py partition partition.csv
//
// On the kinds of tables of the stress suite that are not held back. One line a constant, a step
// and a cell. error: the mean Frobenius error over that with the constants as they are;
// standard_error: of that, by the runs. Releases of one seed are compared.
#include <fmt/core.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>

#include "mechanism/stratified.hpp"
#include "moment/secret_moment.hpp"
#include "random/random_source.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/stress_tables.hpp"

namespace dpcov::research {
namespace {

using dpcov::detail::PartitionTuning;
using Eigen::ArrayXd;

struct PartitionConstant {
    const char* name;
    const char* unit;
    const char* origin;  // as in docs/tuning.md
    double PartitionTuning::*member;
    double lower;  // half of it, where that makes sense
    double higher;
};

// Without `significance_about_mean` and `seldom`, for tables that are read twice.
constexpr std::array partition_constants = {
    PartitionConstant{"significance", "z-score", "fitted", &PartitionTuning::significance, 1.5, 6},
    PartitionConstant{"reach", "ratio of norms", "fitted", &PartitionTuning::reach, 1.02, 1.22},
    PartitionConstant{"spread", "power of D", "fitted", &PartitionTuning::spread, 0.25, 1.0},
    PartitionConstant{"price", "squared error", "fitted", &PartitionTuning::price, 0.001, 0.004},
    PartitionConstant{"stratum_freedom", "coordinates", "fitted", &PartitionTuning::stratum_freedom,
                      2.0, 8.0},
    PartitionConstant{"mismatch", "trace", "fitted", &PartitionTuning::mismatch, 0.2, 0.8},
    PartitionConstant{"alike", "power", "fitted", &PartitionTuning::alike, 0.125, 0.5},
    PartitionConstant{"most_elsewhere", "ratio of traces", "fitted",
                      &PartitionTuning::most_elsewhere, 1.5, 6.0},
    PartitionConstant{"worth", "squared error", "fitted", &PartitionTuning::worth, 0.9, 1.0},
    PartitionConstant{"negligible_root", "error", "fitted", &PartitionTuning::negligible_root, 0.1,
                      0.4},
    PartitionConstant{"beyond_doubt", "z-score", "statistical", &PartitionTuning::beyond_doubt, 2.5,
                      10.0},
    PartitionConstant{"well_below", "ratio of norms", "fitted", &PartitionTuning::well_below, 1.2,
                      2.0},
};

struct PartitionArguments {
    int runs = 20;
    std::string kind;
};

struct PartitionCell {
    std::string name;  // the first columns
    const detail::SecretMoment& moment;
    const Eigen::MatrixXd& truth;
    const Budget& budget;
    int runs;
};

ArrayXd errors_on(const PartitionCell& cell, const PartitionTuning& tuning) {
    ArrayXd errors(cell.runs);
    for (int run = 0; run < cell.runs; ++run) {
        SeededRandomSource random(static_cast<std::uint64_t>(run), 5);
        const Release release =
            detail::stratified_cov_with(tuning, cell.moment, cell.budget, {}, random);
        errors[run] = (release.covariance - cell.truth).norm();
    }
    return errors;
}

void print_steps(const PartitionCell& cell) {
    const ArrayXd usual = errors_on(cell, {});
    for (const PartitionConstant& constant : partition_constants) {
        for (const double to : {constant.lower, constant.higher}) {
            PartitionTuning moved;
            moved.*constant.member = to;
            const ArrayXd errors = errors_on(cell, moved);
            const double ratio = errors.mean() / usual.mean();
            const double squares = (errors - ratio * usual).square().sum();
            const double runs = cell.runs;
            const double deviation =
                runs > 1 ? std::sqrt(squares / (runs * (runs - 1))) / usual.mean() : 0.0;
            fmt::print("{},{},{},{},{:g},{:g},{:.6g},{:.3g}\n", cell.name, constant.name,
                       constant.unit, constant.origin, PartitionTuning{}.*constant.member, to,
                       ratio, deviation);
        }
    }
    std::fflush(stdout);
}

void run_partition(const PartitionArguments& arguments) {
    fmt::print(
        "kind,n,looseness,definition,constant,unit,origin,value,moved_to,error,standard_error\n");
    for (const StressKind& kind : stress_kinds()) {
        if (kind.held_back || std::string(kind.name).find(arguments.kind) == std::string::npos) {
            continue;
        }
        for (const StressBudget& spending : stress_budgets()) {
            const Eigen::MatrixXd tight = stress_table(kind, spending.rows, 1);
            for (const double looseness : {1.3, 4.0}) {
                const Eigen::MatrixXd rows = tight / looseness;
                const Eigen::MatrixXd truth =
                    rows * rows.transpose() / static_cast<double>(spending.rows);
                detail::SecretMoment moment(
                    {.columns = static_cast<std::size_t>(kind.columns), .norm_bound = 1.0});
                moment.add({rows.data(), static_cast<std::size_t>(rows.size())});
                const bool pure = std::holds_alternative<Epsilon>(spending.budget);
                print_steps({fmt::format("\"{}\",{},{},{}", kind.name, spending.rows, looseness,
                                         pure ? "pure" : "zcdp"),
                             moment, truth, spending.budget, arguments.runs});
            }
        }
    }
}

}  // namespace

void add_partition_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "partition", "What moving each constant of the choice of strata does, as CSV");
    auto arguments = std::make_shared<PartitionArguments>();
    add_runs(*command, arguments->runs, "Releases a cell (default: 20)");
    command->add_option("--kind", arguments->kind, "Only kinds with this in their names")
        ->option_text("TEXT");
    command->callback([arguments] { run_partition(*arguments); });
}

}  // namespace dpcov::research
