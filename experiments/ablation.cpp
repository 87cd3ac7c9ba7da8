// What each part of `stratified` is worth: mean Frobenius errors of the estimate built up part by
// part, for the section of docs/accuracy.md.
//
//   dpcov_ablation --runs 10 > ablation.csv
//   dpcov_ablation --runs 20 --pure > ablation_pure.csv
//   dpcov_ablation --runs 10 --loose > ablation_loose.csv
//
// noise (a): isotropic noise (pure: Wishart noise) on the whole Gram, as it is. oracle: the same
// with the best eigenvalues that there are for its eigenvectors, which takes the truth to know.
// shrunk (d): the same, shrunk and mixed by Stein's risk estimate. apart (e): every stratum by
// itself. together (f): strata that teach each other (and no projection).
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <type_traits>
#include <vector>

#include "experiments/oracle.hpp"
#include "experiments/synthetic.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/stratified.hpp"
#include "spectral/strata.hpp"

namespace {

using dpcov::Epsilon;
using dpcov::Rho;
using dpcov::SeededRandomSource;
using dpcov::detail::CountedMoment;
using dpcov::detail::NoiseShape;
using dpcov::detail::NoisyMatrix;
using dpcov::detail::SecretMoment;
using dpcov::detail::StrataEstimator;
using Eigen::MatrixXd;

struct Errors {
    double noise = 0.0;
    double oracle = 0.0;
    double shrunk = 0.0;
    double apart = 0.0;
    double together = 0.0;
};

template <class Share>
Errors one_run(const dpcov::detail::SecretMoment& moment, const MatrixXd& truth, Share budget,
               std::uint64_t seed) {
    constexpr NoiseShape shape =
        std::is_same_v<Share, Rho> ? NoiseShape::gaussian : NoiseShape::wishart;
    const Eigen::Index d = truth.rows();
    const auto rows = static_cast<double>(moment.rows());
    SeededRandomSource random(seed, 2);
    Errors errors;
    const CountedMoment counted = dpcov::detail::counted_openly(moment);
    const NoisyMatrix whole = dpcov::experiments::noisy_whole(counted, budget, random);
    errors.noise = (whole.matrix - truth).norm();
    errors.oracle = dpcov::experiments::oracle_error(whole.matrix, truth);
    StrataEstimator alone(d, rows, shape);
    alone.add(whole.matrix, whole.noise_scale, 1.0);
    errors.shrunk = (alone.estimate() - truth).norm();

    StrataEstimator strata(d, rows, shape);
    MatrixXd apart = MatrixXd::Zero(d, d);
    for (int k = dpcov::detail::SecretMoment::strata - 1; k >= 0; --k) {
        const NoisyMatrix noisy = dpcov::detail::noisy_stratum(counted, k, budget, random);
        const double radius = std::ldexp(1.0, -k);
        StrataEstimator stratum(d, rows, shape);
        stratum.add(noisy.matrix, noisy.noise_scale, radius);
        apart += stratum.estimate();
        strata.add(noisy.matrix, noisy.noise_scale, radius);
    }
    errors.apart = (apart - truth).norm();
    errors.together = (strata.estimate() - truth).norm();
    return errors;
}

// The rows are shortened to that share of the norm bound, which then is loose.
template <class Share>
void measure(const dpcov::experiments::SyntheticSettings& settings, Share budget, int runs,
             double length = 1.0) {
    std::vector<double> table = dpcov::experiments::synthetic_table(settings);
    for (double& value : table) {
        value *= length;
    }
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows> x(table.data(), static_cast<Eigen::Index>(settings.n),
                                   static_cast<Eigen::Index>(settings.d));
    const MatrixXd truth = x.transpose() * x / static_cast<double>(settings.n);
    dpcov::detail::SecretMoment moment({.columns = settings.d, .norm_bound = 1.0});
    moment.add(table);
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

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("What each part of the stratified estimate is worth, as CSV");
    int runs = 10;
    app.add_option("--runs", runs, "Releases a setting")->check(CLI::PositiveNumber);
    bool pure = false;
    app.add_flag("--pure", pure, "Pure DP, on the paper's settings for it");
    bool loose = false;
    app.add_flag("--loose", loose, "Rows far shorter than the norm bound, under zCDP and pure DP");
    CLI11_PARSE(app, argc, argv);
    fmt::print("d,n,N,length,{},zero,noise,oracle,shrunk,apart,together\n", loose ? "rho_or_epsilon"
                                                                            : pure ? "epsilon"
                                                                                   : "rho");
    if (loose) {
        for (const double length : {0x1p-2, 0x1p-4, 0x1p-6}) {
            measure({.bins = 1}, Rho(0.1), runs, length);
            measure({}, Rho(0.1), runs, length);
            measure({}, Epsilon(0.8), runs, length);
        }
        return 0;
    }
    if (pure) {
        for (const std::size_t n : {16000U, 160000U}) {
            for (const std::size_t d : {10U, 50U, 100U, 200U, 400U}) {
                measure({.d = d, .n = n, .bins = 1}, Epsilon(0.8), runs);
            }
        }
        for (const double epsilon : {0.05, 0.2, 0.8, 3.2}) {
            measure({}, Epsilon(epsilon), runs);
        }
        return 0;
    }
    for (const int bins : {1, 2, 4, 8, 16, 32}) {
        measure({.bins = bins}, Rho(0.1), runs);
    }
    measure({.n = 1000}, Rho(0.1), runs);
    measure({.n = 1000, .bins = 1}, Rho(0.1), runs);
    measure({.d = 20}, Rho(0.1), runs);
    for (const std::size_t n : {4000U, 16000U}) {
        measure({.d = 10, .n = n, .bins = 1}, Rho(0.1), runs);
    }
    measure({}, Rho(0.001), runs);
} catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
}
