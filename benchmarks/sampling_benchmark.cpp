// How fast exact noise is, next to std::normal_distribution over std::mt19937_64 and to MPFR's
// exact normals in the same run: compare items_per_second. Wishart noise on a d x d matrix is next
// to the two products (dsyrk) of its size that it takes: compare times.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <gmp.h>
#include <mpfr.h>

#include <random>
#include <vector>

#include "random/discrete_laplace.hpp"
#include "random/geometric_run.hpp"
#include "random/random_source.hpp"
#include "random/rounded_gaussian.hpp"
#include "random/wishart_noise.hpp"

namespace {

using dpcov::Int128;

constexpr std::size_t batch = 4096;

void count_items(benchmark::State& state, std::size_t per_iteration) {
    state.SetItemsProcessed(
        static_cast<std::int64_t>(static_cast<std::size_t>(state.iterations()) * per_iteration));
}

void standard_normal(benchmark::State& state) {
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    std::vector<double> values(batch);
    for (auto _ : state) {
        for (double& value : values) value += normal(engine);
        benchmark::DoNotOptimize(values.data());
    }
    count_items(state, batch);
}
BENCHMARK(standard_normal);

void exact_gaussian(benchmark::State& state, dpcov::RandomSource& random) {
    const dpcov::GaussianNoise noise = dpcov::gaussian_noise(0x1.8p40);
    std::vector<Int128> values(batch);
    for (auto _ : state) {
        dpcov::add_gaussian(random, values, noise);
        benchmark::DoNotOptimize(values.data());
    }
    count_items(state, batch);
}

void exact_gaussian_system(benchmark::State& state) {
    dpcov::SystemRandomSource random;
    exact_gaussian(state, random);
}
BENCHMARK(exact_gaussian_system);

void exact_gaussian_seeded(benchmark::State& state) {
    dpcov::SeededRandomSource random(1, static_cast<std::uint64_t>(state.thread_index()));
    exact_gaussian(state, random);
}
BENCHMARK(exact_gaussian_seeded)->Threads(1)->Threads(2)->UseRealTime();

// Exactly rounded to doubles, by the algorithm of Karney (2016).
void mpfr_normal(benchmark::State& state) {
    gmp_randstate_t generator;
    gmp_randinit_mt(generator);
    mpfr_t value;
    mpfr_init2(value, 53);
    for (auto _ : state) {
        mpfr_nrandom(value, generator, MPFR_RNDN);
        benchmark::DoNotOptimize(value);
    }
    count_items(state, 1);
    mpfr_clear(value);
    gmp_randclear(generator);
}
BENCHMARK(mpfr_normal);

void discrete_laplace_system(benchmark::State& state) {
    dpcov::SystemRandomSource random;
    const dpcov::LaplaceScale scale = dpcov::laplace_scale(0x1.8p40);
    for (auto _ : state) benchmark::DoNotOptimize(dpcov::discrete_laplace(random, scale));
    count_items(state, 1);
}
BENCHMARK(discrete_laplace_system);

void geometric_run(benchmark::State& state) {
    dpcov::SystemRandomSource random;
    const dpcov::LaplaceScale scale = dpcov::laplace_scale(0x1p20);
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            dpcov::geometric_run(random, std::uint64_t{1} << 40, scale, Int128{1} << 24));
    }
    count_items(state, 1);
}
BENCHMARK(geometric_run);

void wishart(benchmark::State& state, dpcov::RandomSource& random) {
    const auto d = static_cast<std::size_t>(state.range(0));
    const dpcov::WishartNoise noise = dpcov::wishart_noise(0x1p64, d);
    std::vector<Int128> values(d * (d + 1) / 2);
    for (auto _ : state) {
        dpcov::add_wishart(random, values, noise);
        benchmark::DoNotOptimize(values.data());
    }
    count_items(state, 2 * d * (d + 1));  // normal draws
}

void wishart_system(benchmark::State& state) {
    dpcov::SystemRandomSource random;
    wishart(state, random);
}
BENCHMARK(wishart_system)->Arg(200)->Arg(1000)->Unit(benchmark::kMillisecond);

void wishart_seeded(benchmark::State& state) {
    dpcov::SeededRandomSource random(1);
    wishart(state, random);
}
BENCHMARK(wishart_seeded)->Arg(200)->Arg(1000)->Unit(benchmark::kMillisecond);

void two_dsyrk(benchmark::State& state) {
    const auto d = static_cast<std::size_t>(state.range(0));
    const auto order = static_cast<blasint>(d);
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    std::vector<double> rows(d * (d + 1));
    for (double& value : rows) value = normal(engine);
    std::vector<double> product(d * d);
    for (auto _ : state) {
        for (const double sign : {1.0, -1.0}) {
            cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, order, order + 1, sign,
                        rows.data(), order, 1.0, product.data(), order);
        }
        benchmark::DoNotOptimize(product.data());
    }
}
BENCHMARK(two_dsyrk)->Arg(200)->Arg(1000)->Unit(benchmark::kMillisecond);

void words(benchmark::State& state, dpcov::RandomSource& random) {
    for (auto _ : state) benchmark::DoNotOptimize(random.next_word());
    count_items(state, 1);
}

void system_words(benchmark::State& state) {
    dpcov::SystemRandomSource random;
    words(state, random);
}
BENCHMARK(system_words);

void chacha20_words(benchmark::State& state) {
    dpcov::SeededRandomSource random(1);
    words(state, random);
}
BENCHMARK(chacha20_words);

}  // namespace

BENCHMARK_MAIN();
