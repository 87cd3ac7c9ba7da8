// The last step of every reader: map a row, and decide what happens to a bad one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "tables/bounds_map.hpp"
#include "tables/column_selection.hpp"

namespace dpcov {

/// Where a row stands in its table.
struct RowPlace {
    std::uint64_t row = 0;              ///< 1-based, a header not counted
    std::optional<std::uint64_t> line;  ///< 1-based, for text: the line in which the row begins
};

/// Applies a ColumnSelection's map and TableOptions::bad_rows to rows of selected values. A message
/// says where the problem is and of what kind; it never repeats the record.
class RowFinisher {
public:
    RowFinisher(std::string table, ColumnSelection selection, BadRows bad_rows)
        : table_(std::move(table)),
          selection_(std::move(selection)),
          bounds_map_(detail::BoundsMap::of(selection_.selected())),
          bad_rows_(bad_rows) {}

    [[nodiscard]] const ColumnSelection& selection() const noexcept { return selection_; }
    /// Whether a bad row is zeros, not an error.
    [[nodiscard]] bool zeroes() const noexcept { return bad_rows_ == BadRows::zero; }

    /// Maps a row of selection().size() values in place, NaN where one is missing. Takes the row
    /// as bad where the map does not: throws DataError, or fills it with zeros.
    void finish(const RowPlace& place, std::span<double> row) const;

    /// The same of rows that lie one behind the other, the first of which is row `first`.
    void finish_rows(std::uint64_t first, std::span<double> rows) const;

    /// The same of a row whose zeros are left out, where no column has bounds. False where the row
    /// is to be zeros.
    [[nodiscard]] bool finish_sparse(const RowPlace& place, std::span<const std::uint32_t> columns,
                                     std::span<double> values) const;

    /// Takes the row as bad for the problem in a selected column, likewise.
    void reject(const RowPlace& place, std::span<double> row, std::size_t selected,
                DataProblem problem) const;

    /// Takes the row as bad for a problem that is no single column's, likewise; `reason` says it,
    /// where there will be a message. Takes no memory where bad rows are zeros.
    void reject_row(const RowPlace& place, std::span<double> row, DataProblem problem,
                    std::string_view reason) const;

private:
    struct Problem {
        std::size_t selected;
        DataProblem problem;
    };

    [[nodiscard]] bool map(std::span<double> row) const;
    [[nodiscard]] bool divide(std::span<double> row) const;
    [[nodiscard]] std::optional<Problem> first_problem(std::span<const double> row) const;
    [[noreturn]] void throw_error(const RowPlace& place, std::optional<std::size_t> selected,
                                  DataProblem problem, std::string_view reason) const;

    std::string table_;
    ColumnSelection selection_;
    std::optional<detail::BoundsMap> bounds_map_;
    BadRows bad_rows_;
};

}  // namespace dpcov
