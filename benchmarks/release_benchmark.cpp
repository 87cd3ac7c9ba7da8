// A whole release of MNIST (read, exact Gram, noise, two eigendecompositions, write) against what
// no release can do without: reading the same file, dsyrk, and two dsyevd. Read the ratio of the
// two times of one run. DPCOV_DATA names the folder that holds mnist/.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "dpcov/table.hpp"
#include "files/atomic_file.hpp"
#include "mechanism/run_method.hpp"
#include "report/matrix_writer.hpp"

namespace {

std::string images() {
    const char* folder = std::getenv("DPCOV_DATA");
    return std::string(folder == nullptr ? "." : folder) + "/mnist/train-images-idx3-ubyte.gz";
}

std::unique_ptr<dpcov::TableReader> open_images() {
    dpcov::TableOptions options;
    options.scale = 7140.0;  // 255 * 28
    return dpcov::open_table(images(), options);
}

void necessary_work(benchmark::State& state) {
    if (!std::filesystem::exists(images())) {
        state.SkipWithError("set DPCOV_DATA to the folder that holds mnist/");
        return;
    }
    for (auto _ : state) {
        const auto reader = open_images();
        const std::size_t d = reader->columns();
        std::vector<double> rows(*reader->row_count_hint() * d);
        const std::size_t n = reader->read(rows);
        const auto order = static_cast<blasint>(d);
        Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(order, order);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, order, static_cast<blasint>(n), 1.0,
                    rows.data(), order, 0.0, gram.data(), order);
        benchmark::DoNotOptimize(dpcov::detail::eigen_decomposition(gram));
        benchmark::DoNotOptimize(dpcov::detail::eigen_decomposition(gram));
    }
}

void whole_release(benchmark::State& state) {
    if (!std::filesystem::exists(images())) {
        state.SkipWithError("set DPCOV_DATA to the folder that holds mnist/");
        return;
    }
    const auto output = std::filesystem::temp_directory_path() / "dpcov_release_benchmark.npy";
    for (auto _ : state) {
        const auto reader = open_images();
        const std::size_t d = reader->columns();
        dpcov::detail::SecretMoment moment({.columns = d, .norm_bound = 1.0});
        std::vector<double> block(2048 * d);
        while (const std::size_t rows = reader->read(block)) {
            moment.add(std::span<const double>(block).first(rows * d),
                       static_cast<unsigned>(openblas_get_num_threads()));
        }
        dpcov::SystemRandomSource random;
        const dpcov::Release release = dpcov::detail::run_method(
            dpcov::find_method("separate"), moment, dpcov::Rho(0.1), {}, random);
        dpcov::AtomicFile file(output.string());
        file.write(dpcov::format_matrix(dpcov::MatrixFormat::npy, release.covariance, {}));
        file.commit();
    }
    std::filesystem::remove(output);
}

}  // namespace

BENCHMARK(necessary_work)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(whole_release)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_MAIN();
