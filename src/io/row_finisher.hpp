// The last step of every reader: scale a row, and decide what happens to a bad one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dpcov/table.hpp"
#include "io/column_selection.hpp"

namespace dpcov {

/// Why a cell cannot be used.
enum class CellProblem {
    missing,       ///< an empty field, or a mark such as NA
    unreadable,    ///< text that is no number
    out_of_range,  ///< text of a number too large or too small for a double
    not_a_number,  ///< NaN
    infinite,      ///< plus or minus infinity
    overflow,      ///< infinite only after the division by the public scale
};

/// Where a row stands in its table.
struct RowPlace {
    std::uint64_t row = 0;              ///< 1-based, a header not counted
    std::optional<std::uint64_t> line;  ///< 1-based, for text: the line in which the row begins
};

/// Applies a ColumnSelection's scales and TableOptions::bad_rows to rows of selected values.
/// A message says where the problem is and of what kind; it never repeats the record.
class RowFinisher {
public:
    RowFinisher(std::string table, ColumnSelection selection, BadRows bad_rows)
        : table_(std::move(table)), selection_(std::move(selection)), bad_rows_(bad_rows) {}

    [[nodiscard]] const ColumnSelection& selection() const noexcept { return selection_; }

    /// Divides a row of selection().size() values by the divisors, in place. A row that is not
    /// finite before and after is bad.
    void finish(const RowPlace& place, std::span<double> row) const;

    /// Takes the row as bad for the problem in a selected column: throws DataError, or fills the
    /// row with zeros.
    void reject(const RowPlace& place, std::span<double> row, std::size_t selected,
                CellProblem problem) const;

    /// Takes the row as bad for its number of fields, likewise.
    void reject_width(const RowPlace& place, std::span<double> row, std::size_t found) const;

    /// Takes the row as bad for a sparse index that is no number or no column, likewise.
    void reject_index(const RowPlace& place, std::span<double> row) const;

private:
    void reject_for(const RowPlace& place, std::span<double> row, const std::string& reason) const;

    std::string table_;
    ColumnSelection selection_;
    BadRows bad_rows_;
};

}  // namespace dpcov
