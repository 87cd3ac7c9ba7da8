// The error bar of `auto` over many tables of one law, as CSV: a table's long rows are a sample,
// and the bar counts on what a sample errs on average.
//
//   dpcov_bars --tables 16 --runs 4 > bars.csv
//
// error, bar: means over all. lowest, highest: bar over error of single tables.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <vector>

#include "experiments/synthetic.hpp"
#include "mechanism/mechanism.hpp"

namespace {

using dpcov::Rho;
using dpcov::SeededRandomSource;
using dpcov::detail::SecretMoment;
using Eigen::MatrixXd;

struct Means {
    double error = 0.0;
    double bar = 0.0;
};

Means means_on_table(const dpcov::experiments::SyntheticSettings& settings, int runs) {
    const std::vector<double> table = dpcov::experiments::synthetic_table(settings);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows> x(table.data(), static_cast<Eigen::Index>(settings.n),
                                   static_cast<Eigen::Index>(settings.d));
    const MatrixXd truth = x.transpose() * x / static_cast<double>(settings.n);
    dpcov::detail::SecretMoment moment({.columns = settings.d, .norm_bound = 1.0});
    moment.add(table);
    Means means;
    for (int run = 0; run < runs; ++run) {
        SeededRandomSource random(static_cast<std::uint64_t>(run), settings.seed);
        const dpcov::Release release =
            dpcov::detail::run_method(dpcov::find_method("auto"), moment, Rho(0.1), {}, random);
        means.error += (release.covariance - truth).norm() / runs;
        means.bar += release.estimated_frobenius_error.value_or(0.0) / runs;
    }
    return means;
}

void print_setting(dpcov::experiments::SyntheticSettings settings, int tables, int runs) {
    Means all;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0.0;
    for (int table = 0; table < tables; ++table) {
        settings.seed = static_cast<std::uint64_t>(table);
        const Means means = means_on_table(settings, runs);
        all.error += means.error / tables;
        all.bar += means.bar / tables;
        lowest = std::min(lowest, means.bar / means.error);
        highest = std::max(highest, means.bar / means.error);
    }
    fmt::print("{},{},{},0.1,{},{},{:.4g},{:.4g},{:.3f},{:.3f}\n", settings.d, settings.n,
               settings.bins, tables, runs, all.error, all.bar, lowest, highest);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("The error bar over many tables of one law, as CSV");
    int tables = 16;
    app.add_option("--tables", tables, "Tables a setting")->check(CLI::PositiveNumber);
    int runs = 4;
    app.add_option("--runs", runs, "Releases a table")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    fmt::print("d,n,N,rho,tables,runs,error,bar,lowest,highest\n");
    print_setting({.bins = 8}, tables, runs);
    print_setting({.n = 10000}, tables, runs);
    print_setting({.n = 1000}, tables, runs);
    print_setting({}, tables, runs);
} catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
}
