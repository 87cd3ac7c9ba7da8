#include "moment/table_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <future>
#include <span>
#include <utility>

#include "arithmetic/huge_pages.hpp"
#include "dpcov/error.hpp"
#include "moment/memory_need.hpp"
#include "moment/moved_rows.hpp"
#include "moment/row_chunk.hpp"
#include "tables/sparse_block.hpp"

namespace dpcov::detail {
namespace {

constexpr std::size_t most_block_rows = 8192;

std::size_t rows_of_block(std::size_t columns, std::size_t bytes_of_value) {
    return std::clamp(read_block_bytes / (columns * bytes_of_value), std::size_t{1},
                      most_block_rows);
}

/// What a reader says that it read.
std::size_t at_most(std::size_t most, std::size_t rows) {
    if (rows > most) {
        throw UsageError("the table's reader says that it read more rows than it could");
    }
    return rows;
}

/// Reads blocks by `read`, which says how many rows there were, and adds what `rows_of` says they
/// are: on one thread by turns, which keeps a block in the cache, else one while the next is read.
template <class Block, class Read, class RowsOf>
void read_blocks(SecretMoment& secret, unsigned threads, Block block, const Read& read,
                 const RowsOf& rows_of, const std::function<void(std::uint64_t)>& on_rows) {
    Block next_block = block;
    std::size_t rows = 0;
    // Where no thread is to be had, a block is read when it is asked for, too.
    const auto when =
        threads == 1 ? std::launch::deferred : std::launch::async | std::launch::deferred;
    const auto read_next = [&] { return std::async(when, [&] { return read(next_block); }); };
    std::future<std::size_t> ahead = read_next();
    secret.add_all(
        [&] {
            if (rows > 0 && on_rows) {
                on_rows(rows);
            }
            rows = ahead.get();  // rethrows what reading threw
            std::swap(block, next_block);
            if (rows > 0) {
                ahead = read_next();
            }
            return rows_of(block, rows);
        },
        threads);
}

/// Other readers than the library's may give what is beyond the bounds. That no value is, where all
/// have bounds, is what sums of squares rest on (docs/privacy.md#within-bounds).
void keep_to_bounds(const Schema& schema, std::span<double> values) {
    if (!implied_norm_bound(schema)) {
        return;
    }
    for (double& value : values) {
        value = value < -1.0 ? -1.0 : value > 1.0 ? 1.0 : value;  // NaN stays
    }
}

}  // namespace

void add_table(SecretMoment& secret, TableReader& table, unsigned threads,
               const std::function<void(std::uint64_t)>& on_rows) {
    const std::size_t columns = secret.layout().columns;
    const MomentLayout& layout = secret.layout();
    auto* const sparse = dynamic_cast<SparseReader*>(&table);
    // What depends on rows neither in memory nor in identity comes before them, and without them.
    if (sparse != nullptr && sparse->keeps_zeros() && !moves_rows(layout) &&
        !has_bounds(layout.schema)) {
        secret.add_sparse({}, threads);
        constexpr std::size_t bytes_of_entry = sizeof(double) + sizeof(std::uint32_t);
        const std::size_t most = rows_of_block(columns, bytes_of_entry);
        read_blocks(
            secret, threads, SparseBlock(most, columns),
            [sparse, most](SparseBlock& block) {
                return at_most(most, sparse->read_sparse(block));
            },
            [columns](SparseBlock& block, std::size_t rows) {
                return RowBlock(block.rows(rows), columns);
            },
            on_rows);
        return;
    }
    secret.add({}, threads);
    std::size_t most = rows_of_block(columns, sizeof(double));
    if (threads == 1) {
        most = std::min(most, RowChunk::capacity(columns, secret.norm_bins(), threads));
    }
    read_blocks(
        secret, threads, HugePageVector<double>(most * columns),
        [&table, &layout, columns, most](HugePageVector<double>& block) {
            const std::size_t rows = at_most(most, table.read(block));
            const std::span<double> values = std::span(block).first(rows * columns);
            keep_to_bounds(layout.schema, values);
            move_rows(layout, values);
            return rows;
        },
        [columns](const HugePageVector<double>& block, std::size_t rows) {
            return RowBlock(std::span(block).first(rows * columns), columns);
        },
        on_rows);
}

}  // namespace dpcov::detail
