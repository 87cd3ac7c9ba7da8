// Room for some rows that are mostly zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dpcov/sparse_row.hpp"

namespace dpcov {

/// Rows whose entries are written down one after another. Each has room for every column, all of it
/// taken and resident from the start: what is read shows neither in memory nor in how many rows go
/// into a block.
class SparseBlock {
public:
    SparseBlock(std::size_t rows, std::size_t columns)
        : width_(columns),
          entries_(rows),
          columns_(rows * columns),
          values_(rows * columns),
          rows_(rows) {}

    [[nodiscard]] std::size_t capacity() const noexcept { return entries_.size(); }

    /// Makes the row zeros.
    void clear(std::size_t row) noexcept { entries_[row] = 0; }

    /// Sets a value of the row; the last word on a column counts. In the time of the entries behind
    /// it, which are none where columns ascend.
    void put(std::size_t row, std::uint32_t column, double value) noexcept {
        std::uint32_t* const columns = columns_.data() + row * width_;
        double* const values = values_.data() + row * width_;
        const std::size_t count = entries_[row];
        std::size_t at = count;
        if (count > 0 && columns[count - 1] >= column) {
            at = static_cast<std::size_t>(std::lower_bound(columns, columns + count, column) -
                                          columns);
            if (columns[at] == column) {
                values[at] = value;
                return;
            }
            std::copy_backward(columns + at, columns + count, columns + count + 1);
            std::copy_backward(values + at, values + count, values + count + 1);
        }
        columns[at] = column;
        values[at] = value;
        ++entries_[row];
    }

    [[nodiscard]] std::span<const std::uint32_t> columns(std::size_t row) const noexcept {
        return {columns_.data() + row * width_, entries_[row]};
    }
    [[nodiscard]] std::span<double> values(std::size_t row) noexcept {
        return {values_.data() + row * width_, entries_[row]};
    }

    /// The first rows, as they are now.
    [[nodiscard]] std::span<const SparseRow> rows(std::size_t count) noexcept {
        for (std::size_t row = 0; row < count; ++row) {
            rows_[row] = {.columns = columns(row), .values = values(row)};
        }
        return std::span<const SparseRow>(rows_).first(count);
    }

private:
    std::size_t width_;
    std::vector<std::size_t> entries_;
    std::vector<std::uint32_t> columns_;
    std::vector<double> values_;
    std::vector<SparseRow> rows_;
};

/// What a TableReader is, too, that can leave zeros out.
class SparseReader {
public:
    virtual ~SparseReader() = default;

    /// Whether what is left out of a row is zero after the map, too: no column has bounds. Public.
    [[nodiscard]] virtual bool keeps_zeros() const noexcept = 0;

    /// As TableReader::read(), where keeps_zeros(). As many rows as there is room for, whatever
    /// stands in them, but for the last.
    virtual std::size_t read_sparse(SparseBlock& rows) = 0;
};

}  // namespace dpcov
