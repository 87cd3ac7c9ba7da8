#include "moment/table_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "arithmetic/blas_threads.hpp"
#include "arithmetic/huge_pages.hpp"
#include "arithmetic/parallel.hpp"
#include "arithmetic/wide_registers.hpp"
#include "dpcov/error.hpp"
#include "moment/mapped_rows.hpp"
#include "moment/memory_need.hpp"
#include "moment/moved_rows.hpp"
#include "moment/row_chunk.hpp"
#include "moment/turns.hpp"
#include "tables/concurrent_reader.hpp"
#include "tables/sparse_block.hpp"
#include "tables/text_reader.hpp"

namespace dpcov::detail {
namespace {

using OnRows = std::function<void(std::uint64_t)>;

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

// NaN stays.
DPCOV_FOR_WIDE_REGISTERS void clamp_to_one(double* values, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        const double value = values[i] < -1.0 ? -1.0 : values[i];
        values[i] = 1.0 < value ? 1.0 : value;
    }
}

/// Other readers than the library's may give what is beyond the bounds. That no value is, where all
/// have bounds, is what sums of squares rest on (docs/privacy.md#within-bounds).
void keep_to_bounds(const Schema& schema, std::span<double> values) {
    if (implied_norm_bound(schema)) {
        clamp_to_one(values.data(), values.size());
    }
}

/// Rows that have every value, some at a time.
class DenseBlocks {
public:
    using Block = HugePageVector<double>;

    DenseBlocks(TableReader& table, const MomentLayout& layout, std::size_t most)
        : table_(&table), layout_(&layout), most_(most) {}

    [[nodiscard]] Block memory() const { return Block(most_ * layout_->columns); }
    [[nodiscard]] std::size_t read(Block& block) const {
        return at_most(most_, table_->read(block));
    }
    [[nodiscard]] RowBlock finish(Block& block, std::size_t rows) const {
        const std::span<double> values = std::span(block).first(rows * layout_->columns);
        keep_to_bounds(layout_->schema, values);
        move_rows(*layout_, values);
        return {values, layout_->columns};
    }

private:
    TableReader* table_;
    const MomentLayout* layout_;
    std::size_t most_;
};

/// The same of a text, whose lines are made out by the thread that took them.
class TextBlocks {
public:
    struct Block {
        TakenLines lines;
        HugePageVector<double> values;
    };

    TextBlocks(TextReader& table, const DenseBlocks& blocks) : table_(&table), blocks_(blocks) {}

    [[nodiscard]] Block memory() const {
        HugePageVector<double> values = blocks_.memory();
        return {TakenLines(values.size() / table_->columns()), std::move(values)};
    }
    [[nodiscard]] std::size_t read(Block& block) const {
        return table_->take_lines(block.lines, block.values);
    }
    [[nodiscard]] RowBlock finish(Block& block, std::size_t rows) const {
        table_->make_rows(block.lines, block.values);
        return blocks_.finish(block.values, rows);
    }

private:
    TextReader* table_;
    DenseBlocks blocks_;
};

/// The same of a table whose rows threads read at once. A turn only says which.
class RangeBlocks {
public:
    struct Block {
        std::size_t first = 0;
        HugePageVector<double> values;
    };

    RangeBlocks(const ConcurrentReader& table, const MomentLayout& layout,
                const DenseBlocks& blocks, std::size_t most)
        : table_(&table),
          columns_(layout.columns),
          in_place_(maps_values(layout) ? nullptr : table.in_place()),
          blocks_(blocks),
          most_(most) {}

    [[nodiscard]] Block memory() const {
        return {0, in_place_ == nullptr ? blocks_.memory() : HugePageVector<double>()};
    }
    [[nodiscard]] std::size_t read(Block& block) {
        block.first = next_;
        next_ += std::min(most_, table_->rows() - next_);
        return next_ - block.first;
    }
    [[nodiscard]] RowBlock finish(Block& block, std::size_t rows) const {
        if (in_place_ != nullptr) {
            return {std::span(in_place_ + block.first * columns_, rows * columns_), columns_};
        }
        table_->read_at(block.first, std::span(block.values).first(rows * columns_));
        return blocks_.finish(block.values, rows);
    }

private:
    const ConcurrentReader* table_;
    std::size_t columns_;
    const double* in_place_;
    DenseBlocks blocks_;
    std::size_t most_;
    std::size_t next_ = 0;
};

/// Rows whose zeros are left out.
class SparseBlocks {
public:
    using Block = SparseBlock;

    SparseBlocks(SparseReader& table, std::size_t columns, std::size_t most)
        : table_(&table), columns_(columns), most_(most) {}

    [[nodiscard]] Block memory() const { return {most_, columns_}; }
    [[nodiscard]] std::size_t read(Block& block) const {
        return at_most(most_, table_->read_sparse(block));
    }
    [[nodiscard]] RowBlock finish(Block& block, std::size_t rows) const {
        return {block.rows(rows), columns_};
    }

private:
    SparseReader* table_;
    std::size_t columns_;
    std::size_t most_;
};

/// One thread reads a block while others add the one before.
template <class Blocks>
void add_while_reading(SecretMoment& secret, Blocks blocks, unsigned threads,
                       const OnRows& on_rows) {
    typename Blocks::Block block = blocks.memory();
    typename Blocks::Block next_block = block;
    NumberedRows rows;
    const auto read_next = [&] {
        // Where no thread is to be had, a block is read when it is asked for.
        return std::async(std::launch::async | std::launch::deferred,
                          [&] { return blocks.finish(next_block, blocks.read(next_block)); });
    };
    std::future<RowBlock> ahead = read_next();
    secret.add_all(
        [&] {
            if (rows.rows.size() > 0 && on_rows) {
                on_rows(rows.rows.size());
            }
            rows.first += rows.rows.size();
            rows.rows = ahead.get();  // rethrows what reading threw
            std::swap(block, next_block);
            if (rows.rows.size() > 0) {
                ahead = read_next();
            }
            return rows;
        },
        threads);
}

/// Each thread has sums of its own, to which it adds a block when it has read it, so that rows stay
/// in the cache. `others` are those of all threads but this one.
template <class Blocks>
void add_by_turns(SecretMoment& secret, std::vector<SecretMoment>& others, Blocks blocks,
                  const OnRows& on_rows) {
    std::vector<typename Blocks::Block> memory;
    for (std::size_t thread = 0; thread <= others.size(); ++thread) {
        memory.push_back(blocks.memory());
    }
    Turns turns;
    std::uint64_t told = 0;
    const auto tell = [&] {
        const std::uint64_t now = turns.rows();
        if (now > told && on_rows) {
            on_rows(now - told);
        }
        told = now;
    };
    const auto add = [&](std::size_t thread) noexcept {
        typename Blocks::Block& block = memory[thread];
        NumberedRows next;
        try {
            (thread == 0 ? secret : others[thread - 1])
                .add_all(
                    [&] {
                        const std::size_t rows =
                            turns.next(next.first, [&] { return blocks.read(block); });
                        if (thread == 0) {
                            tell();
                        }
                        next.rows = blocks.finish(block, rows);
                        return next;
                    },
                    1);
        } catch (...) {
            turns.fail(next.first, std::current_exception());
        }
    };
    const std::size_t threads = memory.size();
    parallel_ranges(static_cast<unsigned>(threads), threads,
                    [&](std::size_t begin, std::size_t end) {
                        for (std::size_t thread = begin; thread < end; ++thread) {
                            add(thread);
                        }
                    });
    turns.rethrow();
    for (SecretMoment& other : others) {
        secret.take_over(other);
    }
}

/// Sums for all threads but one, where they take little memory: none where not even two do. As many
/// as there is memory for, which does not depend on rows.
std::vector<SecretMoment> sums_of_other_threads(const SecretMoment& secret, unsigned threads) {
    // One thread reads while about three others add.
    constexpr unsigned most_threads = 8;
    constexpr double most_bytes = 80.0 * 0x1p20;  // a second thread for 200 columns in 160 bins
    const MemoryNeed need = memory_need(secret.layout(), secret.norm_bins());
    const double in_memory = std::floor(most_bytes / (need.sums + need.doubles));
    double wanted = std::fmin(std::min(threads, most_threads) - 1.0, in_memory);
    while (wanted > 0.0 && !has_room_for_threads(need, wanted)) {
        --wanted;
    }
    std::vector<SecretMoment> sums;
    try {
        while (static_cast<double>(sums.size()) < wanted) {
            SecretMoment all_of_it(secret.layout(), secret.norm_bins());
            all_of_it.add({});
            sums.push_back(std::move(all_of_it));
        }
    } catch (const DeviceError&) {
    } catch (const std::bad_alloc&) {
    }
    return sums;
}

}  // namespace

void add_table(SecretMoment& secret, TableReader& table, unsigned threads, const OnRows& on_rows) {
    const MomentLayout& layout = secret.layout();
    const std::size_t columns = layout.columns;
    auto* const sparse = dynamic_cast<SparseReader*>(&table);
    // What depends on rows neither in memory nor in identity comes before them, and without them.
    if (sparse != nullptr && sparse->keeps_zeros() && !moves_rows(layout) &&
        !has_bounds(layout.schema)) {
        secret.add_sparse({}, threads);
        constexpr std::size_t bytes_of_entry = sizeof(double) + sizeof(std::uint32_t);
        const SparseBlocks blocks(*sparse, columns, rows_of_block(columns, bytes_of_entry));
        add_while_reading(secret, blocks, threads, on_rows);
        return;
    }
    secret.add({}, threads);
    const std::size_t most = rows_of_block(columns, sizeof(double));
    std::vector<SecretMoment> others = sums_of_other_threads(secret, threads);
    const auto* const at_once = dynamic_cast<const ConcurrentReader*>(&table);
    if (threads > 1 && others.empty()) {
        const DenseBlocks blocks(table, layout, most);
        if (at_once != nullptr) {
            add_while_reading(secret, RangeBlocks(*at_once, layout, blocks, most), threads,
                              on_rows);
        } else {
            add_while_reading(secret, blocks, threads, on_rows);
        }
        return;
    }
    std::optional<BlasThreads> one_thread;
    if (!others.empty()) {
        one_thread.emplace(1U);
    }
    const std::size_t in_cache = std::min(most, RowChunk::capacity(columns, secret.norm_bins(), 1));
    const DenseBlocks blocks(table, layout, in_cache);
    auto* const text = dynamic_cast<TextReader*>(&table);
    if (text != nullptr && text->takes_lines() && !others.empty()) {
        add_by_turns(secret, others, TextBlocks(*text, blocks), on_rows);
    } else if (at_once != nullptr) {
        add_by_turns(secret, others, RangeBlocks(*at_once, layout, blocks, in_cache), on_rows);
    } else {
        add_by_turns(secret, others, blocks, on_rows);
    }
}

}  // namespace dpcov::detail
