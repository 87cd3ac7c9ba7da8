// The exact Gram, and the products of digits in it, against plain cblas_dsyrk on the same doubles:
// read the ratios of items_per_second (multiply-adds) of one run.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "arithmetic/digit_gram.hpp"
#include "arithmetic/narrow_gram.hpp"
#include "arithmetic/triangle.hpp"
#include "moment/secret_moment.hpp"

namespace {

using dpcov::detail::DigitForm;
using dpcov::detail::DigitGram;
using dpcov::detail::DigitKernel;

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

// 1024 rows again and again: as many as are added at a time, so that those of few columns come from
// the cache, as they do after they were made integers.
constexpr std::size_t chunk = 1024;

void dsyrk_of_chunk(benchmark::State& state) {
    const auto d = static_cast<std::size_t>(state.range(0));
    const std::vector<double> values = table(d);
    std::vector<double> gram(d * d);
    const auto order = static_cast<blasint>(d);
    for (auto _ : state) {
        for (std::size_t row = 0; row < rows; row += chunk) {
            cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, order, chunk, 1.0, values.data(),
                        order, row > 0 ? 1.0 : 0.0, gram.data(), order);
        }
        benchmark::DoNotOptimize(gram.data());
    }
    count_work(state, d);
}

// The same by the loop for few columns.
void narrow_of_chunk(benchmark::State& state) {
    const auto d = static_cast<std::size_t>(state.range(0));
    dpcov::detail::NarrowGram* const narrow = dpcov::detail::usable_narrow_gram();
    if (narrow == nullptr) {
        state.SkipWithError("not on this processor");
        return;
    }
    const std::vector<double> values = table(d);
    std::vector<double> gram(d * d);
    for (auto _ : state) {
        for (std::size_t row = 0; row < rows; row += chunk) {
            narrow(std::span(values).first(chunk * d), d, 1.0, row > 0,
                   {.data = gram.data(), .stride = d}, 1);
        }
        benchmark::DoNotOptimize(gram.data());
    }
    count_work(state, d);
}

// As integers of so many digits, by one of the kernels.
void digits(benchmark::State& state, const DigitKernel* kernel) {
    const auto d = static_cast<std::size_t>(state.range(0));
    const auto number = static_cast<std::size_t>(state.range(1));
    if (kernel == nullptr) {
        state.SkipWithError("not on this processor");
        return;
    }
    std::vector<double> values = table(d);
    values.resize(chunk * d);
    const double largest = number == 1 ? 127 : number == 2 ? 127 * 257 : 0x1p20;
    for (double& x : values) {
        x = std::clamp(std::round(x * std::sqrt(static_cast<double>(d)) / 4 * largest), -largest,
                       largest);
    }
    DigitGram::Memory memory;
    DigitGram sum(*kernel, memory, chunk, d, 1);
    std::vector<double> gram(d * d);
    for (auto _ : state) {
        for (std::size_t row = 0; row < rows; row += chunk) {
            const DigitForm form = dpcov::detail::digit_form(values, d);
            if (form.digits != number) {
                state.SkipWithError("other digits");
            }
            sum.add(values, form, 1.0, row > 0, {.data = gram.data(), .stride = d});
        }
        benchmark::DoNotOptimize(gram.data());
    }
    count_work(state, d);
}

void by_amx(benchmark::State& state) {
    digits(state, dpcov::detail::amx_digit_kernel());
}

void by_vnni(benchmark::State& state) {
    digits(state, dpcov::detail::vnni_digit_kernel());
}

const std::vector<std::int64_t> column_counts = {8, 16, 32, 50, 128, 200, 512, 784, 1024, 2000};
const std::vector<std::int64_t> narrow_column_counts = {3,  8,   16,  20,  32, 50,
                                                        64, 100, 128, 200, 256};
const std::vector<std::int64_t> all_column_counts = {3,   8,   16,  20,  32,  50,   64,  100,
                                                     128, 200, 256, 512, 784, 1024, 2000};
const std::vector<std::int64_t> digit_counts = {1, 2, 3};

}  // namespace

BENCHMARK(plain_dsyrk)->ArgsProduct({column_counts})->UseRealTime();
BENCHMARK(exact_gram)->ArgsProduct({column_counts})->UseRealTime();
BENCHMARK(dsyrk_of_chunk)->ArgsProduct({all_column_counts})->UseRealTime();
BENCHMARK(narrow_of_chunk)->ArgsProduct({narrow_column_counts})->UseRealTime();
BENCHMARK(by_amx)->ArgsProduct({column_counts, digit_counts})->UseRealTime();
BENCHMARK(by_vnni)->ArgsProduct({column_counts, digit_counts})->UseRealTime();
BENCHMARK_MAIN();
