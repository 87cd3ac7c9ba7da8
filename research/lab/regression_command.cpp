// Test errors of regressions from releases on public sets, as CSV.
//
//   dpcov-lab regression --sets DIR --runs 3 > regression.csv
#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/regression_sets.hpp"

namespace dpcov::research {
namespace {

// A published comparison: what its rows had to keep.
struct Protocol {
    const char* name;
    Preparation preparation;
    std::vector<double> epsilons;
    bool delta_by_rows;  ///< 1 / n^2; else 1e-6
};

std::vector<Protocol> protocols() {
    return {{"archive", Preparation::archive, {0.1, 1.0, 10.0}, false},
            {"unit", Preparation::unit, {0.1, 0.5, 1.0, 3.0, 10.0}, true},
            {"z", Preparation::z, {0.1, 0.5, 1.0, 3.0, 10.0}, true}};
}

struct RegressionArguments {
    std::string folder;
    std::vector<std::string> names;
    std::string method = "auto";
    std::uint64_t seed = 0;
    int runs = 3;
};

void print_cell(const Protocol& protocol, const std::string& name, double epsilon,
                const RegressionArguments& arguments, const std::vector<PreparedFold>& folds,
                const std::vector<SecondMoment>& moments) {
    PredictionError mean;
    double count = 0.0;
    for (std::size_t fold = 0; fold < folds.size(); ++fold) {
        const auto n = static_cast<double>(folds[fold].training.rows());
        const ApproximateDp budget{Epsilon(epsilon),
                                   Delta(protocol.delta_by_rows ? 1.0 / (n * n) : 1e-6)};
        for (int run = 0; run < arguments.runs; ++run) {
            const std::uint64_t seed =
                arguments.seed + fold * 1000 + static_cast<std::uint64_t>(run);
            const Release released = release(moments[fold], budget,
                                             {.method = arguments.method,
                                              .neighbours = Neighbours::add_remove,
                                              .insecure_seed = seed});
            const Regression regression =
                derive_regression(released, folds[fold].training.cols() - 1);
            const PredictionError error =
                prediction_error(folds[fold].test, regression.coefficients.estimate);
            mean.plain += error.plain;
            mean.clipped += error.clipped;
            mean.zero += error.zero;
            count += 1.0;
        }
    }
    fmt::print("{},{},{},{},{},{:.6g},{:.6g},{:.6g}\n", protocol.name, name,
               folds.front().training.cols() - 1, epsilon, arguments.method, mean.plain / count,
               mean.clipped / count, mean.zero / count);
    std::fflush(stdout);
}

void run_regression(const RegressionArguments& arguments) {
    const std::vector<std::string> names =
        arguments.names.empty() ? regression_set_names(arguments.folder) : arguments.names;
    fmt::print("prep,set,d,epsilon,method,mse,clip,trivial\n");
    for (const Protocol& protocol : protocols()) {
        for (const std::string& name : names) {
            const RegressionSet set = read_regression_set(arguments.folder, name);
            std::vector<PreparedFold> folds;
            std::vector<SecondMoment> moments;
            for (Eigen::Index fold = 0; fold < set.masks.cols(); ++fold) {
                folds.push_back(prepare_fold(set, fold, protocol.preparation));
                moments.emplace_back(
                    MomentLayout{.columns = static_cast<std::size_t>(folds.back().training.cols()),
                                 .norm_bound = std::numbers::sqrt2});  // |x| <= 1, |y| <= 1
                moments.back().add(folds.back().training);
            }
            for (const double epsilon : protocol.epsilons) {
                print_cell(protocol, name, epsilon, arguments, folds, moments);
            }
        }
    }
}

}  // namespace

void add_regression_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "regression", "Test errors of regressions from releases, on public sets, as CSV");
    auto arguments = std::make_shared<RegressionArguments>();
    command
        ->add_option("--sets", arguments->folder,
                     "Folder with the sets, NAME.csv.gz and NAME.mask.gz")
        ->option_text("DIR")
        ->required();
    command->add_option("SET", arguments->names, "Names of sets (default: all in the folder)");
    command->add_option("--method", arguments->method, "Of the releases (default: auto)")
        ->option_text("M");
    command->add_option("--seed", arguments->seed, "First seed of the noise (default: 0)")
        ->option_text("N");
    add_runs(*command, arguments->runs, "Releases of a fold (default: 3)");
    command->callback([arguments] { run_regression(*arguments); });
}

}  // namespace dpcov::research
