// What each part of `stratified` is worth: mean Frobenius errors of the estimate built up part by
// part, for the section of docs/accuracy.md.
//
//   dpcov-lab ablation --runs 10 > ablation.csv
//   dpcov-lab ablation --runs 20 --pure > ablation_pure.csv
//   dpcov-lab ablation --runs 10 --loose > ablation_loose.csv
//
// noise (a): isotropic noise (pure: Wishart noise) on the whole Gram, as it is. oracle: the same
// with the best eigenvalues that there are for its eigenvectors, which takes the truth to know.
// shrunk (d): the same, shrunk and mixed by Stein's risk estimate. apart (e): every stratum by
// itself. together (f): empirical-Bayes shrinkage across strata (and no
// projection).
#include <fmt/core.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "estimate/strata.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/strata_draws.hpp"
#include "research/drawn_strata.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"
#include "research/oracle.hpp"
#include "research/synthetic.hpp"
#include "research/tables.hpp"

namespace dpcov::research {
namespace {

using dpcov::Epsilon;
using dpcov::NoiseShape;
using dpcov::Rho;
using dpcov::SeededRandomSource;
using dpcov::detail::CountedMoment;
using dpcov::detail::NoisyMatrix;
using dpcov::detail::NoisyStratum;
using dpcov::detail::SecretMoment;
using dpcov::detail::StrataModel;
using Eigen::MatrixXd;

struct Errors {
    double noise = 0.0;
    double oracle = 0.0;
    double shrunk = 0.0;
    double apart = 0.0;
    double together = 0.0;
};

MatrixXd estimate_of(const std::vector<NoisyStratum>& strata, const StrataModel& model) {
    return dpcov::detail::estimate_strata(strata, model).estimate;
}

template <class Share>
Errors one_run(const dpcov::detail::SecretMoment& moment, const MatrixXd& truth, Share budget,
               std::uint64_t seed) {
    constexpr NoiseShape shape =
        std::is_same_v<Share, Rho> ? NoiseShape::gaussian : NoiseShape::wishart;
    const Eigen::Index d = truth.rows();
    SeededRandomSource random(seed, 2);
    Errors errors;
    const CountedMoment counted = dpcov::detail::counted_openly(moment);
    const NoisyMatrix whole = noisy_whole(counted, budget, random);
    errors.noise = (whole.matrix - truth).norm();
    errors.oracle = oracle_error(whole.matrix, truth);
    const StrataModel model{.rows = static_cast<double>(moment.rows()), .noise = shape};
    errors.shrunk = (estimate_of({{.matrix = whole.matrix,
                                   .noise_variance = whole.deviation * whole.deviation,
                                   .radius = 1.0}},
                                 model) -
                     truth)
                        .norm();

    const auto strata = drawn(counted, octaves(moment.norm_bins()), budget, random);
    MatrixXd apart = MatrixXd::Zero(d, d);
    for (const NoisyStratum& stratum : strata) {
        apart += estimate_of({stratum}, model);
    }
    errors.apart = (apart - truth).norm();
    errors.together = (estimate_of(strata, model) - truth).norm();
    return errors;
}

// The rows are shortened to that share of the norm bound, which then is loose.
template <class Share>
void measure(const SyntheticSettings& settings, Share budget, int runs, double length = 1.0) {
    std::vector<double> table = synthetic_table(settings);
    for (double& value : table) {
        value *= length;
    }
    const auto [moment, truth] = prepared(table, {.columns = settings.d, .norm_bound = 1.0});
    Errors mean;
    for (int run = 0; run < runs; ++run) {
        const Errors errors = one_run(moment, truth, budget, static_cast<std::uint64_t>(run));
        mean.noise += errors.noise / runs;
        mean.oracle += errors.oracle / runs;
        mean.shrunk += errors.shrunk / runs;
        mean.apart += errors.apart / runs;
        mean.together += errors.together / runs;
    }
    fmt::print("{},{},{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}\n", settings.d, settings.n,
               settings.bins, length, budget.value(), truth.norm(), mean.noise, mean.oracle,
               mean.shrunk, mean.apart, mean.together);
}

struct AblationArguments {
    int runs = 10;
    bool pure = false;
    bool loose = false;
};

void run_ablation(const AblationArguments& arguments) {
    fmt::print("d,n,N,length,{},zero,noise,oracle,shrunk,apart,together\n",
               arguments.loose  ? "rho_or_epsilon"
               : arguments.pure ? "epsilon"
                                : "rho");
    if (arguments.loose) {
        for (const double length : {0x1p-2, 0x1p-4, 0x1p-6}) {
            measure({.bins = 1}, Rho(0.1), arguments.runs, length);
            measure({}, Rho(0.1), arguments.runs, length);
            measure({}, Epsilon(0.8), arguments.runs, length);
        }
        return;
    }
    if (arguments.pure) {
        for (const std::size_t n : {16000U, 160000U}) {
            for (const std::size_t d : {10U, 50U, 100U, 200U, 400U}) {
                measure({.d = d, .n = n, .bins = 1}, Epsilon(0.8), arguments.runs);
            }
        }
        for (const double epsilon : {0.05, 0.2, 0.8, 3.2}) {
            measure({}, Epsilon(epsilon), arguments.runs);
        }
        return;
    }
    for (const int bins : {1, 2, 4, 8, 16, 32}) {
        measure({.bins = bins}, Rho(0.1), arguments.runs);
    }
    measure({.n = 1000}, Rho(0.1), arguments.runs);
    measure({.n = 1000, .bins = 1}, Rho(0.1), arguments.runs);
    measure({.d = 20}, Rho(0.1), arguments.runs);
    for (const std::size_t n : {4000U, 16000U}) {
        measure({.d = 10, .n = n, .bins = 1}, Rho(0.1), arguments.runs);
    }
    measure({}, Rho(0.001), arguments.runs);
}

}  // namespace

void add_ablation_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "ablation", "What each part of the stratified estimate is worth, as CSV");
    auto arguments = std::make_shared<AblationArguments>();
    add_runs(*command, arguments->runs, "Releases a setting (default: 10)");
    auto* pure =
        command->add_flag("--pure", arguments->pure, "Pure DP, on the paper's settings for it");
    command
        ->add_flag("--loose", arguments->loose,
                   "Rows far shorter than the norm bound, under zCDP and pure DP")
        ->excludes(pure);
    command->callback([arguments] { run_ablation(*arguments); });
}

}  // namespace dpcov::research
