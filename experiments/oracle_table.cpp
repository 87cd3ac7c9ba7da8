// The oracle's mean error on every setting of figures of the paper, as CSV for accuracy_table.py.
//
//   dpcov_oracle fig1 fig2a fig3 --runs 20 --data DIR > oracle.csv
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "dpcov/random.hpp"
#include "experiments/figures.hpp"
#include "experiments/fingerprint.hpp"
#include "experiments/oracle.hpp"
#include "experiments/tables.hpp"

namespace {

using dpcov::experiments::Figure;
using dpcov::experiments::PreparedTable;
using dpcov::experiments::Setting;

double mean_oracle_error(const Figure& figure, const Setting& setting, const PreparedTable& table,
                         int runs) {
    const dpcov::detail::CountedMoment counted = dpcov::detail::counted_openly(table.moment);
    const std::uint64_t stream =
        dpcov::experiments::fingerprint(describe(figure, setting) + " oracle");
    double mean = 0.0;
    for (int run = 0; run < runs; ++run) {
        dpcov::SeededRandomSource random(static_cast<std::uint64_t>(run), stream);
        const dpcov::detail::NoisyMatrix noisy = std::visit(
            [&](auto share) { return dpcov::experiments::noisy_whole(counted, share, random); },
            budget_of(figure, setting));
        mean += dpcov::experiments::oracle_error(noisy.matrix, table.covariance) / runs;
    }
    return mean;
}

void print_figure(const Figure& figure, const std::string& folder, int runs) {
    const std::vector<Setting> settings = settings_of(figure);
    PreparedTable table = prepare_table(settings.front().data, folder, 1);
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const auto& data = settings[i].data;
        if (i > 0 && !(data == settings[i - 1].data)) {
            table = prepare_table(data, folder, 1);
        }
        const bool synthetic = data.source == dpcov::experiments::Source::synthetic;
        fmt::print("{},{},{},{},{},{},{},{:.4g}\n", figure.pure ? "pure" : "zcdp", name_of(data),
                   data.d, table.moment.rows(), synthetic ? std::to_string(data.bins) : "",
                   settings[i].budget, runs, mean_oracle_error(figure, settings[i], table, runs));
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("The best error that noisy eigenvectors allow, setting by setting, as CSV");
    std::vector<std::string> names;
    app.add_option("figures", names, "Names of figures, as dpcov experiment knows them")
        ->required();
    int runs = 20;
    app.add_option("--runs", runs, "Draws of the noise for a setting")->check(CLI::PositiveNumber);
    std::string folder;
    app.add_option("--data", folder, "Folder with the real data that fig3 to fig5 need");
    CLI11_PARSE(app, argc, argv);
    fmt::print("privacy,data,d,n,N,rho_or_eps,runs,oracle_error\n");
    for (const std::string& name : names) {
        print_figure(dpcov::experiments::find_figure(name, false), folder, runs);
    }
} catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
}
