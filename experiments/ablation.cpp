// What each part of `stratified` is worth: mean Frobenius errors of the estimate built up part by
// part, for the section of docs/accuracy.md.
//
//   dpcov_ablation --runs 10 > ablation.csv
//
// a: isotropic noise on the whole Gram, as it is. d: the same, shrunk and mixed by Stein's risk
// estimate. e: every stratum by itself. f: strata that teach each other (and no projection).
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <exception>
#include <vector>

#include "dpcov/mechanism.hpp"
#include "experiments/synthetic.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/stratified.hpp"
#include "spectral/strata.hpp"

namespace {

using dpcov::Rho;
using dpcov::SecondMoment;
using dpcov::SeededRandomSource;
using dpcov::detail::NoiseShape;
using dpcov::detail::NoisyMatrix;
using dpcov::detail::NoisyStratum;
using dpcov::detail::StrataEstimator;
using Eigen::MatrixXd;

struct Errors {
    double noise = 0.0;
    double shrunk = 0.0;
    double apart = 0.0;
    double together = 0.0;
};

Errors one_run(const SecondMoment& moment, const MatrixXd& truth, Rho rho, std::uint64_t seed) {
    const Eigen::Index d = truth.rows();
    const auto rows = static_cast<double>(moment.rows());
    SeededRandomSource random(seed, 2);
    Errors errors;
    const NoisyMatrix whole =
        dpcov::detail::noisy_covariance(moment, 0, rho, dpcov::NoiseLaw::isotropic, random);
    errors.noise = (whole.matrix - truth).norm();
    StrataEstimator alone(d, rows, NoiseShape::gaussian);
    alone.add(whole.matrix, whole.noise_scale, 1.0);
    errors.shrunk = (alone.estimate() - truth).norm();

    StrataEstimator strata(d, rows, NoiseShape::gaussian);
    MatrixXd apart = MatrixXd::Zero(d, d);
    for (int k = SecondMoment::strata - 1; k >= 0; --k) {
        const NoisyStratum noisy = dpcov::detail::noisy_stratum(moment, k, rho, random);
        const double radius = std::ldexp(1.0, -k);
        StrataEstimator stratum(d, rows, NoiseShape::gaussian);
        stratum.add(noisy.matrix, noisy.noise_scale, radius);
        apart += stratum.estimate();
        strata.add(noisy.matrix, noisy.noise_scale, radius);
    }
    errors.apart = (apart - truth).norm();
    errors.together = (strata.estimate() - truth).norm();
    return errors;
}

void measure(const dpcov::experiments::SyntheticSettings& settings, double rho, int runs) {
    const std::vector<double> table = dpcov::experiments::synthetic_table(settings);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows> x(table.data(), static_cast<Eigen::Index>(settings.n),
                                   static_cast<Eigen::Index>(settings.d));
    const MatrixXd truth = x.transpose() * x / static_cast<double>(settings.n);
    SecondMoment moment({.dimension = settings.d, .norm_bound = 1.0});
    moment.add(table);
    Errors mean;
    for (int run = 0; run < runs; ++run) {
        const Errors errors = one_run(moment, truth, Rho(rho), static_cast<std::uint64_t>(run));
        mean.noise += errors.noise / runs;
        mean.shrunk += errors.shrunk / runs;
        mean.apart += errors.apart / runs;
        mean.together += errors.together / runs;
    }
    fmt::print("{},{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}\n", settings.d, settings.n,
               settings.bins, rho, truth.norm(), mean.noise, mean.shrunk, mean.apart,
               mean.together);
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("What each part of the stratified estimate is worth, as CSV");
    int runs = 10;
    app.add_option("--runs", runs, "Releases a setting")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    fmt::print("d,n,N,rho,zero,a,d,e,f\n");
    for (const int bins : {1, 2, 4, 8, 16, 32}) {
        measure({.bins = bins}, 0.1, runs);
    }
    measure({.n = 1000}, 0.1, runs);
    measure({.n = 1000, .bins = 1}, 0.1, runs);
    measure({.d = 20}, 0.1, runs);
    measure({.d = 10, .n = 16000, .bins = 1}, 0.1, runs);
    measure({}, 0.001, runs);
} catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
}
