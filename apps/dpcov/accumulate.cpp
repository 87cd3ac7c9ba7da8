#include "accumulate.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <span>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"

namespace dpcov {
namespace {

constexpr std::size_t block_bytes = std::size_t{16} << 20;
constexpr std::size_t most_block_rows = 8192;

}  // namespace

void accumulate(detail::SecretMoment& secret, TableReader& table, unsigned threads,
                Progress& progress) {
    const std::size_t columns = table.columns();
    const std::size_t row_bytes = columns * sizeof(double);
    const std::size_t block_rows =
        std::clamp(block_bytes / row_bytes, std::size_t{1}, most_block_rows);
    std::vector<double> block(block_rows * columns);
    std::vector<double> next_block(block.size());

    progress.start_reading(table.row_count_hint(), row_bytes);
    std::size_t rows = table.read(block);
    if (rows == 0) {
        throw DataError("the input has no rows; a covariance needs one at least");
    }
    while (rows > 0) {
        std::future<std::size_t> ahead =
            std::async(std::launch::async, [&] { return table.read(next_block); });
        secret.add(std::span<const double>(block).first(rows * columns), threads);
        progress.add_rows(rows);
        rows = ahead.get();  // rethrows what reading threw
        std::swap(block, next_block);
    }
}

bool is_moment_path(const std::string& path) {
    return path.ends_with(".moment");
}

void check_norm_bound(const MomentLayout& layout, std::optional<double> norm_bound,
                      const std::string& path) {
    if (norm_bound && *norm_bound != layout.norm_bound) {
        throw UsageError(
            fmt::format("--norm-bound {} is not the bound {} that {} was made with; "
                        "leave it out to use the file's",
                        *norm_bound, layout.norm_bound, path));
    }
}

}  // namespace dpcov
