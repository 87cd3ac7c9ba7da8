// The Gram matrix of integer rows that are mostly zeros, exactly, in the time of their pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arithmetic/wide_sums.hpp"
#include "dpcov/sparse_row.hpp"

namespace dpcov::detail {

/// Whether pairs are likely to take less time than the rows spread out over `d` columns for BLAS.
/// Either way gives the same integers, so that the choice may depend on rows: it shows in time
/// alone.
[[nodiscard]] bool pairs_are_faster(std::span<const SparseRow> rows, std::size_t d) noexcept;

/// Sums of Grams of sparse integer rows on their way to 128-bit integers. Rows wait until there are
/// many: their products are then formed for some columns of the Gram at a time, which stay in the
/// cache, where those of one row alone would each be fetched from memory.
///
/// Exact: with |q|^2 <= 2^(2 radius_bits) a product is at most 2^40 in magnitude, so an entry is at
/// most 2^40 times the number of rows. A count of rows is below 2^64, hence an entry below 2^104,
/// and 128 bits hold it whatever the order.
class SparseGramSums {
public:
    /// Room for rows that wait, of which how much there is depends on columns and threads alone.
    struct Memory {
        std::vector<std::uint32_t> columns;
        std::vector<std::int32_t> values;  // of at most 21 bits
        std::vector<std::uint32_t> next;   // entry of a row, by thread
        struct Row {
            WideSums* total;
            std::size_t begin;
            std::size_t end;
        };
        std::vector<Row> rows;
    };
    /// How many bytes that is, but for what each thread has.
    [[nodiscard]] static double bytes(std::size_t d) noexcept;

    /// Finds the memory, which must outlive this, for rows of `d` columns: what follows cannot
    /// fail.
    SparseGramSums(Memory& memory, std::size_t d, unsigned threads);

    /// Adds the Gram of rows of integer-valued doubles, or with sign -1 takes it away. `total` must
    /// stay where it is, and have its entries. The rows need not last.
    void add(std::span<const SparseRow> rows, WideSums& total, int sign) noexcept;

    /// Adds all rows that wait to their totals.
    void finish() noexcept;

private:
    void add_columns(std::span<const Memory::Row> rows, std::size_t first, std::size_t last,
                     std::uint32_t* next) noexcept;

    Memory* memory_;
    std::size_t d_;
    unsigned threads_;
    int sign_ = 1;
    std::size_t rows_ = 0;     // that wait
    std::size_t entries_ = 0;  // of theirs
};

}  // namespace dpcov::detail
