// What moving each constant of `adaptive`'s levels (mechanism/noise_levels.hpp) does to errors, as
// CSV, for docs/tuning.md.
//
//   dpcov-lab levels --runs 20
//
// One line a constant and step, half of it and twice of it. error: the mean Frobenius error of the
// released matrix over that with the constants as they are, as a geometric mean over the settings,
// in per cent more; standard_error: of that, by the runs. least, greatest: of single settings, with
// their names. Releases of one seed are compared.
#include <fmt/core.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mechanism/adaptive_cov.hpp"
#include "moment/secret_moment.hpp"
#include "random/random_source.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/synthetic.hpp"
#include "research/tables.hpp"

namespace dpcov::research {
namespace {

using dpcov::detail::LevelConstants;
using Eigen::ArrayXd;

struct LevelConstant {
    const char* name;
    const char* definition;  // that of the budget where it counts
    double LevelConstants::*member;
};

constexpr std::array level_constants = {
    LevelConstant{"rotation", "zCDP", &LevelConstants::rotation},
    LevelConstant{"projected", "pure DP", &LevelConstants::projected},
    LevelConstant{"separate", "pure DP", &LevelConstants::separate},
    LevelConstant{"bias", "pure DP", &LevelConstants::bias},
};

struct LevelsSetting {
    const char* name;
    SyntheticSettings table;
    Budget budget;
};

const std::vector<LevelsSetting>& levels_settings() {
    static const std::vector<LevelsSetting> all = {
        {"one length", {.d = 20, .n = 4000, .bins = 1}, Rho(0.1)},
        {"N = 4", {.d = 50, .n = 8000}, Rho(0.1)},
        {"N = 8", {.d = 50, .n = 8000, .bins = 8}, Rho(0.1)},
        {"few rows", {.d = 50, .n = 1000}, Rho(0.1)},
        {"little budget", {.d = 50, .n = 8000}, Rho(0.001)},
        {"wide", {.d = 120, .n = 4000}, Rho(0.1)},
        {"pure, one length", {.d = 20, .n = 8000, .bins = 1}, Epsilon(0.8)},
        {"pure, N = 4", {.d = 50, .n = 16000}, Epsilon(0.8)},
        {"pure, N = 8", {.d = 50, .n = 16000, .bins = 8}, Epsilon(3.2)},
        {"pure, few rows", {.d = 50, .n = 4000}, Epsilon(0.8)},
        {"pure, wide", {.d = 120, .n = 16000}, Epsilon(3.2)},
        {"pure, narrow", {.d = 3, .n = 500}, Epsilon(0.5)},
    };
    return all;
}

bool counts_in(const LevelConstant& constant, const LevelsSetting& setting) {
    return (std::string(constant.definition) == "pure DP") ==
           std::holds_alternative<Epsilon>(setting.budget);
}

// Of each run.
ArrayXd errors_of(const LevelConstants& constants, const LevelsSetting& setting,
                  const PreparedTable& table, int runs) {
    ArrayXd errors(runs);
    for (int run = 0; run < runs; ++run) {
        SeededRandomSource random(static_cast<std::uint64_t>(run), 5);
        const Release release =
            detail::adaptive_cov_with(constants, table.moment, setting.budget, {}, random);
        errors[run] = (release.covariance - table.covariance).norm();
    }
    return errors;
}

double in_percent(double log_ratio) {
    return 100.0 * std::expm1(log_ratio);
}

void run_levels(int runs) {
    std::vector<PreparedTable> tables;
    std::vector<ArrayXd> usual;
    for (const LevelsSetting& setting : levels_settings()) {
        tables.push_back(
            prepared(synthetic_table(setting.table),
                     {.columns = setting.table.d, .norm_bound = 1.0, .keep_directions = true}));
        usual.push_back(errors_of({}, setting, tables.back(), runs));
    }
    fmt::print(
        "constant,definition,value,moved_to,error,standard_error,least,least_at,greatest,"
        "greatest_at\n");
    for (const LevelConstant& constant : level_constants) {
        for (const double factor : {0.5, 2.0}) {
            LevelConstants moved;
            moved.*constant.member *= factor;
            double sum = 0.0;
            double variance = 0.0;
            int settings = 0;
            double least = INFINITY;
            double greatest = -INFINITY;
            std::string least_at;
            std::string greatest_at;
            for (std::size_t at = 0; at < tables.size(); ++at) {
                const LevelsSetting& setting = levels_settings()[at];
                if (!counts_in(constant, setting)) {
                    continue;
                }
                const ArrayXd errors = errors_of(moved, setting, tables[at], runs);
                const double ratio = errors.mean() / usual[at].mean();
                const double squares = (errors - ratio * usual[at]).square().sum();
                const double effect = std::log(ratio);
                sum += effect;
                variance +=
                    runs > 1 ? squares / (runs * (runs - 1.0)) / std::pow(errors.mean(), 2) : 0.0;
                ++settings;
                if (effect < least) {
                    least = effect;
                    least_at = setting.name;
                }
                if (effect > greatest) {
                    greatest = effect;
                    greatest_at = setting.name;
                }
            }
            fmt::print("{},{},{:g},{:g},{:.2f},{:.2f},{:.2f},\"{}\",{:.2f},\"{}\"\n", constant.name,
                       constant.definition, LevelConstants{}.*constant.member,
                       moved.*constant.member, in_percent(sum / settings),
                       100.0 * std::sqrt(variance) / settings, in_percent(least), least_at,
                       in_percent(greatest), greatest_at);
        }
    }
}

}  // namespace

void add_levels_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "levels", "What moving each constant of adaptive's levels does, as CSV");
    auto runs = std::make_shared<int>(20);
    add_runs(*command, *runs, "Releases a setting (default: 20)");
    command->callback([runs] { run_levels(*runs); });
}

}  // namespace dpcov::research
