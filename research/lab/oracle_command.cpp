// The oracle's mean error on every setting of figures of the paper, as CSV for accuracy_table.py.
//
//   dpcov-lab oracle fig1 fig2a fig3 --runs 20 --data DIR > oracle.csv
#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "random/random_source.hpp"
#include "research/figures.hpp"
#include "research/fingerprint.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/oracle.hpp"
#include "research/tables.hpp"

namespace dpcov::research {
namespace {

double mean_oracle_error(const Figure& figure, const Setting& setting, const PreparedTable& table,
                         int runs) {
    const dpcov::detail::CountedMoment counted = dpcov::detail::counted_openly(table.moment);
    const std::uint64_t stream = fingerprint(describe(figure, setting) + " oracle");
    double mean = 0.0;
    for (int run = 0; run < runs; ++run) {
        dpcov::SeededRandomSource random(static_cast<std::uint64_t>(run), stream);
        const dpcov::detail::NoisyMatrix noisy =
            std::visit([&](auto share) { return noisy_whole(counted, share, random); },
                       budget_of(figure, setting));
        mean += oracle_error(noisy.matrix, table.covariance) / runs;
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
        const bool synthetic = data.source == Source::synthetic;
        fmt::print("{},{},{},{},{},{},{},{:.4g}\n", figure.pure ? "pure" : "zcdp", name_of(data),
                   data.d, table.moment.rows(), synthetic ? std::to_string(data.bins) : "",
                   settings[i].budget, runs, mean_oracle_error(figure, settings[i], table, runs));
        std::fflush(stdout);
    }
}

struct OracleArguments {
    std::vector<std::string> figures;
    int runs = 20;
    std::string folder;
};

void run_oracle(const OracleArguments& arguments) {
    fmt::print("privacy,data,d,n,N,rho_or_eps,runs,oracle_error\n");
    for (const std::string& name : arguments.figures) {
        print_figure(find_figure(name, false), arguments.folder, arguments.runs);
    }
}

}  // namespace

void add_oracle_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "oracle", "The best error that noisy eigenvectors allow, setting by setting, as CSV");
    auto arguments = std::make_shared<OracleArguments>();
    command
        ->add_option("FIGURE", arguments->figures,
                     "Names of figures; 'dpcov-lab experiment list' has them")
        ->required();
    add_runs(*command, arguments->runs, "Draws of the noise for a setting (default: 20)");
    command
        ->add_option("--data", arguments->folder,
                     "Folder with the real data that fig3 to fig5 need")
        ->option_text("DIR");
    command->callback([arguments] { run_oracle(*arguments); });
}

}  // namespace dpcov::research
