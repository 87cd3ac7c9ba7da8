#include "add_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dpcov {
namespace {

/// Of so many rows in so many seconds; `total` where it is known, and the size of a row in memory.
std::string reading_text(std::uint64_t rows, double seconds, std::optional<std::uint64_t> total,
                         std::size_t bytes_per_row) {
    const auto done = static_cast<double>(rows);
    const double rows_per_second = done / std::max(seconds, 1e-9);
    const double megabytes_per_second = rows_per_second * static_cast<double>(bytes_per_row) / 1e6;
    if (!total || *total == 0) {
        return fmt::format("reading: {:.0f} MB/s", megabytes_per_second);
    }
    const auto all = static_cast<double>(*total);
    return fmt::format("reading: {:.0f} %, {:.0f} MB/s, {:.0f} s left", 100.0 * done / all,
                       megabytes_per_second, std::max(0.0, all - done) / rows_per_second);
}

}  // namespace

void add_rows(TableReader& table, SecondMoment& secret, unsigned threads, Progress& progress,
              RowsShown rows_shown) {
    if (rows_shown == RowsShown::no) {
        progress.show("reading");
        secret.add(table, threads);
        return;
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point started = Clock::now();
    const std::optional<std::uint64_t> total = table.row_count_hint();
    std::uint64_t done = 0;
    secret.add(table, threads, [&](std::uint64_t rows) {
        done += rows;
        progress.show_if_due([&] {
            const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
            return reading_text(done, seconds, total, table.columns() * sizeof(double));
        });
    });
}

}  // namespace dpcov
