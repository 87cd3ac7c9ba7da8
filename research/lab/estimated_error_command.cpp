// The estimated error of `auto` over many tables of one law, as CSV: a table's long rows are a
// sample, and the estimate counts on what a sample errs on average.
//
//   dpcov-lab estimated-error --tables 16 --runs 4 > estimated_error.csv
//
// error, estimated: means over all. lowest, highest: estimated over true error of single tables.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>

#include "mechanism/run_method.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/synthetic.hpp"
#include "research/tables.hpp"

namespace dpcov::research {
namespace {

using dpcov::Rho;
using dpcov::SeededRandomSource;
using dpcov::detail::SecretMoment;
using Eigen::MatrixXd;

struct Means {
    double error = 0.0;
    double estimated = 0.0;
};

Means means_on_table(const SyntheticSettings& settings, int runs) {
    const auto [moment, truth] =
        prepared(synthetic_table(settings), {.columns = settings.d, .norm_bound = 1.0});
    Means means;
    for (int run = 0; run < runs; ++run) {
        SeededRandomSource random(static_cast<std::uint64_t>(run), settings.seed);
        const dpcov::Release release =
            dpcov::detail::run_method(dpcov::find_method("auto"), moment, Rho(0.1), {}, random);
        means.error += (release.covariance - truth).norm() / runs;
        means.estimated += release.estimated_frobenius_error.value_or(0.0) / runs;
    }
    return means;
}

void print_setting(SyntheticSettings settings, int tables, int runs) {
    Means all;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0.0;
    for (int table = 0; table < tables; ++table) {
        settings.seed = static_cast<std::uint64_t>(table);
        const Means means = means_on_table(settings, runs);
        all.error += means.error / tables;
        all.estimated += means.estimated / tables;
        lowest = std::min(lowest, means.estimated / means.error);
        highest = std::max(highest, means.estimated / means.error);
    }
    fmt::print("{},{},{},0.1,{},{},{:.4g},{:.4g},{:.3f},{:.3f}\n", settings.d, settings.n,
               settings.bins, tables, runs, all.error, all.estimated, lowest, highest);
    std::fflush(stdout);
}

struct EstimatedErrorArguments {
    int tables = 16;
    int runs = 4;
};

void run_estimated_error(const EstimatedErrorArguments& arguments) {
    fmt::print("d,n,N,rho,tables,runs,error,estimated,lowest,highest\n");
    print_setting({.bins = 8}, arguments.tables, arguments.runs);
    print_setting({.n = 10000}, arguments.tables, arguments.runs);
    print_setting({.n = 1000}, arguments.tables, arguments.runs);
    print_setting({}, arguments.tables, arguments.runs);
}

}  // namespace

void add_estimated_error_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "estimated-error",
        "The estimated error beside the true one over many tables of one law, as CSV");
    auto arguments = std::make_shared<EstimatedErrorArguments>();
    command->add_option("--tables", arguments->tables, "Tables a setting (default: 16)")
        ->option_text("T")
        ->check(CLI::PositiveNumber);
    add_runs(*command, arguments->runs, "Releases a table (default: 4)");
    command->callback([arguments] { run_estimated_error(*arguments); });
}

}  // namespace dpcov::research
