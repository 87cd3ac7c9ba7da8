#include "arithmetic/sparse_gram.hpp"

#include <cstdint>

#include "arithmetic/parallel.hpp"

namespace dpcov::detail {
namespace {

// The rows' products for the columns of the Gram that leave `remainder` when divided by `threads`.
void add_columns(std::span<const SparseRow> rows, PackedGram& total, std::size_t threads,
                 std::size_t remainder, double sign) noexcept {
    for (const SparseRow& row : rows) {
        for (std::size_t k = 0; k < row.columns.size(); ++k) {
            if (threads > 1 && row.columns[k] % threads != remainder) {
                continue;
            }
            Int128* const column = total.data() + packed_index(0, row.columns[k]);
            const double factor = sign * row.values[k];
            for (std::size_t i = 0; i <= k; ++i) {
                // In doubles exact, too: below 2^53.
                column[row.columns[i]] += static_cast<std::int64_t>(factor * row.values[i]);
            }
        }
    }
}

}  // namespace

void add_sparse_gram(std::span<const SparseRow> rows, PackedGram& total, unsigned threads,
                     int sign) noexcept {
    constexpr double worth_a_thread = 0x1p16;
    const std::size_t parts = sparse_gram_products(rows) < worth_a_thread ? 1 : threads;
    // Each thread has columns of its own to add to.
    parallel_ranges(threads, parts, [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part) {
            add_columns(rows, total, parts, part, sign);
        }
    });
}

double sparse_gram_products(std::span<const SparseRow> rows) noexcept {
    double products = 0.0;
    for (const SparseRow& row : rows) {
        const auto entries = static_cast<double>(row.columns.size());
        products += 0.5 * entries * (entries + 1.0);
    }
    return products;
}

bool sparse_gram_is_faster(std::span<const SparseRow> rows, std::size_t d) noexcept {
    // Measured: a product here takes as long as some of dsyrk's (docs/performance.md#sparse), which
    // goes through its result besides, as through so many rows.
    constexpr double of_dsyrk = 8.0;
    constexpr double rows_for_result = 16.0;
    const auto columns = static_cast<double>(d);
    return of_dsyrk * sparse_gram_products(rows) <
           (static_cast<double>(rows.size()) + rows_for_result) * 0.5 * columns * (columns + 1.0);
}

}  // namespace dpcov::detail
