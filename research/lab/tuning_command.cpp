// What moving each constant of estimate/tuning.hpp does to errors, as CSV, for docs/tuning.md.
//
//   dpcov-lab tuning --runs 20 > tuning.csv && research/pages/tuning.py write tuning.csv
//   dpcov-lab tuning --runs 20 --settings
//
// One line a step. Every tuning estimates from the same noisy strata. error: the mean Frobenius
// error of the released matrix over that with the constants as they are, as a geometric mean over
// the settings, in per cent more; standard_error: of that, by the runs. least, greatest: of single
// settings, with their names. calibration: the mean estimated over the mean true error, the
// median of the settings that have one.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "estimate/strata.hpp"
#include "estimate/tuning_constants.hpp"
#include "random/random_source.hpp"
#include "research/drawn_strata.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/synthetic.hpp"
#include "research/tables.hpp"

namespace dpcov::research {
namespace {

using dpcov::NoiseShape;
using dpcov::detail::Tuning;
using dpcov::detail::tuning_constants;
using Eigen::MatrixXd;

enum class Rows {
    synthetic,  // of the paper's experiments
    isotropic,  // norms uniform on [0, 1]
    spiked,     // synthetic ones shortened to an eighth, but for three along one axis
};

struct TuningSetting {
    const char* name;
    SyntheticSettings table;
    Budget budget;
    double length = 1.0;  // of the rows, over the norm bound
    Rows rows = Rows::synthetic;
};

const std::vector<TuningSetting>& small_grid() {
    static const std::vector<TuningSetting> all = {
        {"one length", {.d = 20, .n = 4000, .bins = 1}, Rho(0.1)},
        {"N = 4", {.d = 50, .n = 8000}, Rho(0.1)},
        {"N = 8", {.d = 50, .n = 8000, .bins = 8}, Rho(0.1)},
        {"N = 16", {.d = 50, .n = 8000, .bins = 16}, Rho(0.1)},
        {"few rows", {.d = 50, .n = 1000}, Rho(0.1)},
        {"little budget", {.d = 50, .n = 8000}, Rho(0.001)},
        {"wide", {.d = 120, .n = 4000}, Rho(0.1)},
        {"loose bound", {.d = 50, .n = 8000}, Rho(0.1), 0x1p-4},
        {"isotropic", {.d = 40, .n = 20000}, Rho(0.05), 1.0, Rows::isotropic},
        {"spiked", {.d = 50, .n = 2000, .bins = 2}, Rho(1.0), 1.0, Rows::spiked},
        {"pure, one length", {.d = 20, .n = 8000, .bins = 1}, Epsilon(0.8)},
        {"pure, N = 4", {.d = 50, .n = 16000}, Epsilon(0.8)},
        {"pure, N = 8", {.d = 50, .n = 16000, .bins = 8}, Epsilon(3.2)},
        {"pure, narrow", {.d = 3, .n = 500}, Epsilon(0.5)},
        {"pure, loose bound", {.d = 50, .n = 16000}, Epsilon(0.8), 0x1p-4},
    };
    return all;
}

std::vector<double> table_of(const TuningSetting& setting) {
    const std::size_t d = setting.table.d;
    const std::size_t n = setting.table.n;
    if (setting.rows == Rows::isotropic) {
        std::mt19937_64 generator(setting.table.seed);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform;
        MatrixXd columns =
            MatrixXd::NullaryExpr(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(n),
                                  [&] { return normal(generator); });
        for (auto row : columns.colwise()) {
            row *= uniform(generator) / row.norm();
        }
        return {columns.data(), columns.data() + columns.size()};
    }
    std::vector<double> table = synthetic_table(setting.table);
    const double length = setting.rows == Rows::spiked ? 0.125 : setting.length;
    for (double& value : table) {
        value *= length;
    }
    if (setting.rows == Rows::spiked) {
        std::fill(table.end() - static_cast<std::ptrdiff_t>(3 * d), table.end(), 0.0);
        for (std::size_t row = n - 3; row < n; ++row) {
            table[row * d + d - 1] = 1.0;
        }
    }
    return table;
}

struct Step {
    std::string name;
    std::string unit;
    std::string origin;
    double from = 0.0;
    double to = 0.0;
    Tuning tuning;
};

// The constants as they are come first.
std::vector<Step> steps() {
    std::vector<Step> all = {{"none", "", "", 0.0, 0.0, Tuning{}}};
    for (const detail::TuningConstant& constant : tuning_constants) {
        for (const double to : {constant.lower, constant.higher}) {
            all.push_back({constant.name, constant.unit, constant.origin, constant.value(Tuning{}),
                           to, constant.moved(Tuning{}, to)});
        }
    }
    return all;
}

struct Effect {
    double error = 0.0;      // mean
    double log_error = 0.0;  // of the mean error over that with the constants as they are
    double variance = 0.0;   // of that, by the runs
    std::optional<double> log_calibration;
};

// Of every step on one setting.
std::vector<Effect> effects_on(const TuningSetting& setting, const std::vector<Step>& all,
                               int runs) {
    const auto [moment, truth] =
        prepared(table_of(setting), {.columns = setting.table.d, .norm_bound = 1.0});
    const detail::CountedMoment counted = detail::counted_openly(moment);
    const auto count = static_cast<Eigen::Index>(all.size());
    Eigen::ArrayXXd error(runs, count);
    Eigen::ArrayXXd claimed = Eigen::ArrayXXd::Zero(runs, count);
    Eigen::ArrayXXd backed = Eigen::ArrayXXd::Zero(runs, count);  // true errors of the claims
    for (int run = 0; run < runs; ++run) {
        SeededRandomSource random(static_cast<std::uint64_t>(run), 3);
        const auto strata = drawn(counted, octaves(moment.norm_bins()), setting.budget, random);
        const NoiseShape noise = std::holds_alternative<Rho>(setting.budget) ? NoiseShape::gaussian
                                                                             : NoiseShape::wishart;
        for (Eigen::Index step = 0; step < count; ++step) {
            const EstimateOfStrata result =
                estimate_from(strata, {.rows = static_cast<double>(setting.table.n),
                                       .noise = noise,
                                       .tuning = all[static_cast<std::size_t>(step)].tuning});
            error(run, step) = (result.covariance - truth).norm();
            if (result.error) {
                claimed(run, step) = *result.error;
                backed(run, step) = error(run, step);
            }
        }
    }
    std::vector<Effect> effects;
    const double usual = error.col(0).mean();
    for (Eigen::Index step = 0; step < count; ++step) {
        const double ratio = error.col(step).mean() / usual;
        const double squares = (error.col(step) - ratio * error.col(0)).square().sum();
        Effect effect;
        effect.error = error.col(step).mean();
        effect.log_error = std::log(ratio);
        effect.variance =
            runs > 1 ? squares / (runs * (runs - 1.0)) / std::pow(ratio * usual, 2) : 0.0;
        if (backed.col(step).sum() > 0.0) {
            effect.log_calibration = std::log(claimed.col(step).sum() / backed.col(step).sum());
        }
        effects.push_back(effect);
    }
    return effects;
}

// Of at least one; of an even number, the upper of the two in the middle.
double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double percent(double log_ratio) {
    return 100.0 * std::expm1(log_ratio);
}

// What the settings are like with the constants as they are.
void print_settings(int runs) {
    fmt::print("setting,d,n,error,estimated_over_true\n");
    for (const TuningSetting& setting : small_grid()) {
        const Effect usual = effects_on(setting, {Step{}}, runs).front();
        fmt::print("\"{}\",{},{},{:.3g},{}\n", setting.name, setting.table.d, setting.table.n,
                   usual.error,
                   usual.log_calibration ? fmt::format("{:.2f}", std::exp(*usual.log_calibration))
                                         : std::string("none"));
    }
}

void run_tuning(int runs) {
    const std::vector<Step> all = steps();
    std::vector<std::vector<Effect>> effects;
    for (const TuningSetting& setting : small_grid()) {
        effects.push_back(effects_on(setting, all, runs));
    }
    const auto settings = static_cast<double>(effects.size());
    fmt::print(
        "constant,unit,origin,value,moved_to,error,standard_error,least,least_at,greatest,"
        "greatest_at,calibration\n");
    for (std::size_t step = 0; step < all.size(); ++step) {
        double error = 0.0;
        double variance = 0.0;
        std::vector<double> calibrations;
        std::size_t least = 0;
        std::size_t greatest = 0;
        for (std::size_t at = 0; at < effects.size(); ++at) {
            const Effect& effect = effects[at][step];
            error += effect.log_error / settings;
            variance += effect.variance / (settings * settings);
            if (effect.log_calibration) {
                calibrations.push_back(std::exp(*effect.log_calibration));
            }
            least = effect.log_error < effects[least][step].log_error ? at : least;
            greatest = effect.log_error > effects[greatest][step].log_error ? at : greatest;
        }
        fmt::print("{},{},{},{:g},{:g},{:.2f},{:.2f},{:.2f},\"{}\",{:.2f},\"{}\",{:.3f}\n",
                   all[step].name, all[step].unit, all[step].origin, all[step].from, all[step].to,
                   percent(error), 100.0 * std::sqrt(variance),
                   percent(effects[least][step].log_error), small_grid()[least].name,
                   percent(effects[greatest][step].log_error), small_grid()[greatest].name,
                   median(std::move(calibrations)));
    }
}

}  // namespace

void add_tuning_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "tuning", "What moving each constant of the estimate across strata does, as CSV");
    auto runs = std::make_shared<int>(20);
    auto settings = std::make_shared<bool>(false);
    command->add_flag("--settings", *settings,
                      "The settings' own errors instead, with the constants as they are");
    add_runs(*command, *runs, "Releases a setting (default: 20)");
    command->callback([runs, settings] { *settings ? print_settings(*runs) : run_tuning(*runs); });
}

}  // namespace dpcov::research
