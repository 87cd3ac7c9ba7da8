// The exact Gram against plain cblas_dsyrk on the same doubles: read the ratio of the two
// items_per_second (multiply-adds) of one run.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <cmath>
#include <random>
#include <vector>

#include "moment/secret_moment.hpp"

namespace {

constexpr std::size_t rows = 16384;

std::vector<double> table(std::size_t d) {
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    std::vector<double> values(rows * d);
    for (double& x : values) {
        x = normal(generator) / std::sqrt(static_cast<double>(d));
    }
    return values;
}

void count_work(benchmark::State& state, std::size_t d) {
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rows * d * (d + 1) / 2));
}

void plain_dsyrk(benchmark::State& state) {
    const auto d = static_cast<std::size_t>(state.range(0));
    const std::vector<double> values = table(d);
    std::vector<double> gram(d * d);
    for (auto _ : state) {
        const auto order = static_cast<blasint>(d);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, order, rows, 1.0, values.data(), order,
                    0.0, gram.data(), order);
        benchmark::DoNotOptimize(gram.data());
    }
    count_work(state, d);
}

void exact_gram(benchmark::State& state) {
    const auto d = static_cast<std::size_t>(state.range(0));
    const std::vector<double> values = table(d);
    dpcov::detail::SecretMoment moment({.columns = d, .norm_bound = 2.0});
    for (auto _ : state) {
        moment.add(values, static_cast<unsigned>(openblas_get_num_threads()));
        benchmark::DoNotOptimize(moment.rows());
    }
    count_work(state, d);
}

}  // namespace

BENCHMARK(plain_dsyrk)->Arg(50)->Arg(200)->Arg(784)->Arg(2000)->UseRealTime();
BENCHMARK(exact_gram)->Arg(50)->Arg(200)->Arg(784)->Arg(2000)->UseRealTime();
BENCHMARK_MAIN();
