// One release of a table in memory, by the library's public functions: what dpcov.covariance does
// in Python. research/pages/overhead.py runs both and prints the ratios.
//   dpcov_one_release ROWS COLUMNS THREADS
// Prints the time on the clock and the processor time in seconds, and a value of the release.
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <vector>

#include "dpcov/dpcov.hpp"

namespace {

// In [-1, 1), by the fractional parts of multiples of the golden ratio; research/pages/overhead.py
// makes the same.
std::vector<double> values(std::uint64_t count) {
    std::vector<double> made(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        made[i] = static_cast<double>(static_cast<std::uint32_t>(i * 2654435769U)) * 0x1p-31 - 1.0;
    }
    return made;
}

double processor_time() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        return 2;
    }
    const std::uint64_t rows = std::strtoull(argv[1], nullptr, 10);
    const std::uint64_t columns = std::strtoull(argv[2], nullptr, 10);
    const auto threads = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
    openblas_set_num_threads(static_cast<int>(threads));
    const std::vector<double> table = values(rows * columns);

    const double processor = processor_time();
    const auto clock = std::chrono::steady_clock::now();
    dpcov::SecondMoment moment(
        {.schema = dpcov::Schema(columns, {.bounds = dpcov::ColumnBounds{-1.0, 1.0}})});
    // In blocks: the mapped values of all rows at once would have to come through memory again.
    const std::uint64_t block = std::max<std::uint64_t>((1U << 20U) / columns, 1) * columns;
    for (std::uint64_t first = 0; first < table.size(); first += block) {
        moment.add_row_major(std::span(table).subspan(first, std::min(block, table.size() - first)),
                             threads);
    }
    const dpcov::Release release = dpcov::in_table_units(
        dpcov::release(moment, dpcov::Rho(0.1), {.center = true, .insecure_seed = 1}));
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - clock;
    std::printf("%.6f %.6f %a\n", passed.count(), processor_time() - processor,
                release.covariance(0, 0));
}
