// The paper's worked examples and its Figure 1, in numbers, as Markdown: docs/paper.md.
//
//   dpcov-lab examples                what the bounds say
//   dpcov-lab examples --measure      and what the mechanisms err by, for the sizes that fit
#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "dpcov/bounds.hpp"
#include "mechanism/run_method.hpp"
#include "random/random_source.hpp"
#include "research/lab/commands.hpp"
#include "research/tables.hpp"
#include "research/worked_examples.hpp"

namespace dpcov::research {
namespace {

void print_skewed() {
    fmt::print(
        "n^(-9/16) against n^(-13/16)\n\n| n | d | tau = 1 | tau = n^(-1/4) | ratio |\n"
        "| --- | --- | --- | --- | --- |\n");
    for (int log_n = 12; log_n <= 60; log_n += 8) {
        const std::uint64_t n = std::uint64_t{1} << log_n;
        const ExampleTable table = skewed_example(n);
        const double whole = clipped_error(table, 1.0);
        const double clipped = clipped_error(table, std::pow(static_cast<double>(n), -0.25));
        fmt::print("| 2^{} | {} | {:.3g} | {:.3g} | {:.3g} |\n", log_n, table.d, whole, clipped,
                   whole / clipped);
    }
}

void print_quantiles(const char* title, QuantileExample (*example)(std::uint64_t)) {
    fmt::print(
        "\n{}: the bound at each threshold, in powers of n, from n = 2^52 to 2^60\n\n"
        "| table | threshold | exponent of threshold | of the bound | best |\n"
        "| --- | --- | --- | --- | --- |\n",
        title);
    const QuantileExample small = example(std::uint64_t{1} << 52);
    const QuantileExample large = example(std::uint64_t{1} << 60);
    const auto print = [&](const char* name, const ExampleTable& a, const ExampleTable& b,
                           const std::vector<double>& at, const std::vector<double>& then) {
        const double best = best_threshold(b, then);
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double slope =
                std::log2(clipped_error(b, then[i]) / clipped_error(a, at[i])) / 8.0;
            fmt::print("| {} | {} | {:.3f} | {:.3f} | {} |\n", name, i,
                       then[i] > 0.0 ? std::log2(then[i]) / 60.0 : -HUGE_VAL, slope,
                       then[i] == best ? "yes" : "");
        }
    };
    print("first", small.first, large.first, small.first_thresholds, large.first_thresholds);
    print("second", small.second, large.second, small.second_thresholds, large.second_thresholds);
}

void print_bounds() {
    constexpr std::uint64_t n = 1000000;
    fmt::print(
        "\nFigure 1 at n = 10^6, rho = 1, beta = 0.1: bounds with their constants\n\n"
        "| d | GaussCov | SeparateCov | projection | crossover trace |\n"
        "| --- | --- | --- | --- | --- |\n");
    for (const std::size_t d : {10U, 100U, 1000U, 10000U, 100000U, 1000000U, 10000000U}) {
        const dpcov::Rho rho(1.0);
        fmt::print("| {} | {:.3g} | {:.3g} | {:.3g} | {:.3g} |\n", d,
                   dpcov::gauss_error_bound(d, n, rho, 1.0, 0.1),
                   dpcov::separate_error_bound(d, n, rho, 1.0, 1.0, 0.1),
                   dpcov::projection_error_bound(d, n, rho, 1.0, 0.1),
                   dpcov::crossover_trace(d, n, rho, 1.0, 0.1));
    }
}

// Rows of the table's norms in uniform directions, one row a line.
std::vector<double> rows_of(const ExampleTable& table) {
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    std::vector<double> rows;
    for (const NormGroup& group : table.groups) {
        for (double i = 0.0; i < group.rows; ++i) {
            std::vector<double> row(table.d);
            double squares = 0.0;
            for (double& value : row) {
                value = normal(engine);
                squares += value * value;
            }
            for (const double value : row) {
                rows.push_back(value * std::sqrt(group.squared_norm / squares));
            }
        }
    }
    return rows;
}

double measured_error(const char* method, double tau, const ExampleTable& table) {
    const auto [moment, truth] = prepared(rows_of(table), {.columns = table.d, .norm_bound = tau});
    dpcov::ReleaseOptions options;
    options.variant = dpcov::Variant::paper;
    constexpr int runs = 10;
    double error = 0.0;
    for (int run = 0; run < runs; ++run) {
        dpcov::SeededRandomSource random(static_cast<std::uint64_t>(run));
        error += (dpcov::detail::run_method(dpcov::find_method(method), moment, dpcov::Rho(1.0),
                                            options, random)
                      .covariance -
                  truth)
                     .norm() /
                 runs;
    }
    return error;
}

void print_measured() {
    fmt::print(
        "\nMeasured, `paper`, rho = 1, 10 runs, the first example\n\n"
        "| n | d | gauss, tau = 1 | separate, tau = 1 | gauss, tau = n^(-1/4) | "
        "separate, tau = n^(-1/4) |\n| --- | --- | --- | --- | --- | --- |\n");
    for (const std::uint64_t n : {256U, 4096U}) {
        const ExampleTable table = skewed_example(n);
        const double tau = std::pow(static_cast<double>(n), -0.25);
        fmt::print("| {} | {} | {:.3g} | {:.3g} | {:.3g} | {:.3g} |\n", n, table.d,
                   measured_error("gauss", 1.0, table), measured_error("separate", 1.0, table),
                   measured_error("gauss", tau, table), measured_error("separate", tau, table));
    }
}

}  // namespace

void add_examples_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "examples", "The paper's worked examples and its Figure 1, in numbers, as Markdown");
    auto measured = std::make_shared<bool>(false);
    command->add_flag("--measure", *measured,
                      "And what the mechanisms err by, for the sizes that fit into memory");
    command->callback([measured] {
        print_skewed();
        print_quantiles("Example 1 as printed", printed_quantile_example);
        print_quantiles("Example 1 corrected", corrected_quantile_example);
        print_bounds();
        if (*measured) {
            print_measured();
        }
    });
}

}  // namespace dpcov::research
