// EMCov against the linear algebra that its eigenvectors cost when every step finds the space left
// over anew, as the code that accompanies the paper does: a null space of the vectors so far (a
// decomposition of order d), the matrix on it, and that one's eigenvalues, d times. The peer draws
// nothing. Read the ratio of the two times of one run.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/run_method.hpp"

namespace {

constexpr std::size_t n = 2000;

std::vector<double> table(std::size_t d) {
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    std::vector<double> values(n * d);
    for (double& x : values) {
        x = normal(generator) / std::sqrt(static_cast<double>(d));
    }
    return values;
}

Eigen::MatrixXd covariance(std::size_t d) {
    const std::vector<double> values = table(d);
    const Eigen::Map<const Eigen::MatrixXd> rows(values.data(), static_cast<Eigen::Index>(d), n);
    return rows * rows.transpose() / n;
}

void null_space_at_each_step(benchmark::State& state) {
    const Eigen::MatrixXd matrix = covariance(static_cast<std::size_t>(state.range(0)));
    const Eigen::Index d = matrix.rows();
    const Eigen::MatrixXd found = dpcov::detail::eigen_decomposition(matrix).vectors;
    for (auto _ : state) {
        for (Eigen::Index step = 0; step < d; ++step) {
            const auto so_far = found.leftCols(step);
            const Eigen::MatrixXd basis =
                dpcov::detail::eigen_decomposition(so_far * so_far.transpose()).vectors;
            const auto left = basis.leftCols(d - step);
            benchmark::DoNotOptimize(
                dpcov::detail::eigen_decomposition(left.transpose() * matrix * left));
        }
    }
}

void em_release(benchmark::State& state) {
    const auto d = static_cast<std::size_t>(state.range(0));
    dpcov::detail::SecretMoment moment({.columns = d, .norm_bound = 1.0});
    moment.add(table(d));
    dpcov::SystemRandomSource random;
    dpcov::ReleaseOptions published;
    published.variant = dpcov::Variant::published;
    for (auto _ : state) {
        benchmark::DoNotOptimize(dpcov::detail::run_method(dpcov::find_method("em"), moment,
                                                           dpcov::Rho(0.1), published, random));
    }
}

}  // namespace

BENCHMARK(null_space_at_each_step)->Arg(50)->Arg(200)->Unit(benchmark::kMillisecond);
BENCHMARK(em_release)->Arg(50)->Arg(200)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
