// Rows as they come: with every value, or with those that are not zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "dpcov/sparse_row.hpp"

namespace dpcov::detail {

/// Some rows in other people's memory.
class RowBlock {
public:
    RowBlock() = default;
    /// Row-major, of `d` values each.
    RowBlock(std::span<const double> values, std::size_t d)
        : values_(values), d_(d), size_(values.size() / d) {}
    RowBlock(std::span<const SparseRow> rows, std::size_t d)
        : sparse_(rows), d_(d), size_(rows.size()), is_sparse_(true) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool is_sparse() const noexcept { return is_sparse_; }

    /// Its columns are left out where it has every value.
    [[nodiscard]] SparseRow operator[](std::size_t row) const {
        return is_sparse_ ? sparse_[row]
                          : SparseRow{.columns = {}, .values = values_.subspan(row * d_, d_)};
    }

    /// Of rows that have every value: all of them, one row behind the other.
    [[nodiscard]] std::span<const double> values() const noexcept { return values_; }

    /// Rows `first` and behind, at most so many.
    [[nodiscard]] RowBlock part(std::size_t first, std::size_t most) const {
        const std::size_t count = std::min(most, size_ - first);
        return is_sparse_ ? RowBlock(sparse_.subspan(first, count), d_)
                          : RowBlock(values_.subspan(first * d_, count * d_), d_);
    }

private:
    std::span<const double> values_;
    std::span<const SparseRow> sparse_;
    std::size_t d_ = 1;
    std::size_t size_ = 0;
    bool is_sparse_ = false;
};

}  // namespace dpcov::detail
