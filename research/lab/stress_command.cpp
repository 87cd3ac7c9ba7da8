// The stress suite: errors of `auto` and of what it is held against, over kinds of tables, bounds
// that are looser than need be, both definitions of privacy, and much and little budget, as CSV for
// docs/stress.md.
//
//   dpcov-lab stress --runs 10 > stress.csv && research/pages/stress.py write stress.csv
//
// One line a cell. Errors are mean Frobenius errors over the runs. earlier: strata of octaves at
// the full budget, estimated as before strata could have any edges. octaves: the same matrices,
// estimated as now. auto: the library's. cut: the least mean of one stratum, and of strata cut at a
// quantile of the norms (none, one or all octaves below it, one stratum above), which takes the
// norms to know. estimated: mean estimated RMS error, and claimed_of the mean error, of the runs
// that have one.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "estimate/strata.hpp"
#include "mechanism/run_method.hpp"
#include "research/drawn_strata.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/stress_tables.hpp"

namespace dpcov::research {
namespace {

using dpcov::NoiseShape;
using dpcov::detail::BinRange;
using dpcov::detail::CountedMoment;
using dpcov::detail::NormBins;
using dpcov::detail::SecretMoment;
using dpcov::detail::StrataModel;
using dpcov::detail::Tuning;
using Eigen::Index;
using Eigen::MatrixXd;

using Strata = std::vector<BinRange>;

// Of the estimate before sums of strata were looked at.
Tuning tuning_before() {
    Tuning tuning;
    tuning.pooling_gain_z = std::numeric_limits<double>::infinity();
    tuning.entrywise_candidates = 0;
    tuning.shape_z = -std::numeric_limits<double>::infinity();
    return tuning;
}

// Strata that end at bin `cut`, at most so many octaves below it, and at the bound.
Strata cut_at(const NormBins& bins, std::size_t cut, int below) {
    std::vector<std::size_t> ends = {cut};
    for (std::size_t bin = cut; bin-- > 0 && below > 0;) {
        if (bins.radius(bin) <= 0.501 * bins.radius(ends.back())) {
            ends.push_back(bin);
            --below;
        }
    }
    std::reverse(ends.begin(), ends.end());
    if (cut + 1 < bins.size()) {
        ends.push_back(bins.size() - 1);
    }
    Strata strata;
    std::size_t first = 0;
    for (const std::size_t end : ends) {
        strata.push_back({first, end});
        first = end + 1;
    }
    return strata;
}

std::map<std::string, Strata> cuts_of(const NormBins& bins, std::vector<double> norms) {
    std::sort(norms.begin(), norms.end());
    std::map<std::string, Strata> cuts = {{"one", {{0, bins.size() - 1}}}};
    for (const int percent : {80, 95, 99, 100}) {
        const double norm = norms[norms.size() * static_cast<std::size_t>(percent) / 100 - 1];
        std::size_t cut = 0;
        while (cut + 1 < bins.size() && bins.radius(cut) < norm * (1.0 - 1e-6)) {
            ++cut;
        }
        for (const int below : {0, 1, NormBins::octaves}) {
            const char* octaves_below = below == 0 ? "" : below == 1 ? "+1" : "+all";
            cuts[fmt::format("{} %{}", percent, octaves_below)] = cut_at(bins, cut, below);
        }
    }
    return cuts;
}

struct Cell {
    double earlier = 0.0;
    double octaves = 0.0;
    double automatic = 0.0;
    double separate = 0.0;
    double whole = 0.0;
    double claimed = 0.0;
    double claimed_of = 0.0;
    int claims = 0;
    std::map<std::string, double> cuts;
};

struct StressArguments {
    int runs = 10;
    std::uint64_t seed = 0;
    std::vector<double> looseness = {1.0, 1.15, 1.3, 1.5, 1.7, 2.0, 4.0, 16.0};
    std::string kind;
    bool automatic_only = false;
};

Cell measured(const SecretMoment& moment, const MatrixXd& truth,
              const std::map<std::string, Strata>& cuts, const Budget& budget,
              const StressArguments& arguments) {
    const CountedMoment counted = detail::counted_openly(moment);
    const bool pure = std::holds_alternative<Epsilon>(budget);
    const StrataModel model{.rows = counted.rows.value,
                            .noise = pure ? NoiseShape::wishart : NoiseShape::gaussian};
    StrataModel before = model;
    before.tuning = tuning_before();
    const auto error = [&](const MatrixXd& estimate) { return (estimate - truth).norm(); };
    const double runs = arguments.runs;
    Cell cell;
    for (int run = 0; run < arguments.runs; ++run) {
        const std::uint64_t seed = arguments.seed + static_cast<std::uint64_t>(run);
        const auto release_by = [&](const char* method) {
            SeededRandomSource random(seed, 5);
            return detail::run_method(find_method(method), moment, budget, {}, random);
        };
        const Release release = release_by("auto");
        const double its = error(release.covariance);
        cell.automatic += its / runs;
        if (release.estimated_frobenius_error) {
            cell.claimed += *release.estimated_frobenius_error;
            cell.claimed_of += its;
            ++cell.claims;
        }
        SeededRandomSource random(seed, 6);
        const auto noisy = drawn(counted, octaves(moment.norm_bins()), budget, random);
        cell.earlier += error(estimate_from(noisy, before).covariance) / runs;
        if (arguments.automatic_only) {
            continue;
        }
        cell.octaves += error(estimate_from(noisy, model).covariance) / runs;
        cell.separate += error(release_by("separate").covariance) / runs;
        cell.whole += error(release_by(pure ? "wishart" : "gauss").covariance) / runs;
        for (const auto& [name, strata] : cuts) {
            cell.cuts[name] +=
                error(estimate_from(drawn(counted, strata, budget, random), model).covariance) /
                runs;
        }
    }
    return cell;
}

void print_cell(const StressKind& kind, double looseness, const StressBudget& spending, double zero,
                const Cell& cell) {
    const auto best = std::min_element(
        cell.cuts.begin(), cell.cuts.end(),
        [](const auto& one, const auto& other) { return one.second < other.second; });
    const bool pure = std::holds_alternative<Epsilon>(spending.budget);
    const double value = amount_of(spending.budget);
    const int claims = std::max(1, cell.claims);
    fmt::print("\"{}\",{},{},{},{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{},{:.4g},{:.4g},",
               kind.name, kind.held_back ? 1 : 0, kind.columns, spending.rows, looseness,
               pure ? "pure" : "zcdp", value, zero, cell.earlier, cell.octaves, cell.automatic,
               best == cell.cuts.end() ? 0.0 : best->second,
               best == cell.cuts.end() ? "" : best->first, cell.separate, cell.whole);
    fmt::print("{:.4g},{:.4g},{}\n", cell.claimed / claims, cell.claimed_of / claims, cell.claims);
    std::fflush(stdout);
}

void run_stress(const StressArguments& arguments) {
    fmt::print(
        "kind,held_back,d,n,looseness,definition,budget,zero,earlier,octaves,auto,cut,cut_name,"
        "separate,whole,estimated,estimated_of,estimates\n");
    for (const StressKind& kind : stress_kinds()) {
        if (std::string(kind.name).find(arguments.kind) == std::string::npos) {
            continue;
        }
        for (const Index n : {Index{16000}, Index{4000}}) {
            const MatrixXd tight = stress_table(kind, n, arguments.seed + 1);
            for (const double looseness : arguments.looseness) {
                const MatrixXd rows = tight / looseness;
                const MatrixXd truth = rows * rows.transpose() / static_cast<double>(n);
                SecretMoment moment(
                    {.columns = static_cast<std::size_t>(kind.columns), .norm_bound = 1.0});
                moment.add({rows.data(), static_cast<std::size_t>(rows.size())});
                const Eigen::VectorXd norms = rows.colwise().norm();
                const auto cuts = cuts_of(moment.norm_bins(), {norms.begin(), norms.end()});
                for (const StressBudget& spending : stress_budgets()) {
                    if (spending.rows == n) {
                        print_cell(kind, looseness, spending, truth.norm(),
                                   measured(moment, truth, cuts, spending.budget, arguments));
                    }
                }
            }
        }
    }
}

}  // namespace

void add_stress_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "stress", "Errors of auto over kinds of tables and loose bounds, as CSV");
    auto arguments = std::make_shared<StressArguments>();
    add_runs(*command, arguments->runs, "Releases a cell (default: 10)");
    command->add_option("--seed", arguments->seed, "Of tables and noise (default: 0)")
        ->option_text("SEED");
    command
        ->add_option("--looseness", arguments->looseness,
                     "Norm bounds over what the tables need (default: 1 1.15 1.3 1.5 1.7 2 4 16)")
        ->option_text("L...")
        ->check(CLI::PositiveNumber);
    command->add_option("--kind", arguments->kind, "Only kinds with this in their names")
        ->option_text("TEXT");
    command->add_flag("--auto-only", arguments->automatic_only,
                      "Without the columns octaves, cut, separate and whole");
    command->callback([arguments] { run_stress(*arguments); });
}

}  // namespace dpcov::research
