// Which columns of a table are handed out, in which order and divided by which public scales.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "dpcov/table.hpp"

namespace dpcov {

/// TableOptions::columns, scale and column_scales, resolved against a table. "Source" columns are
/// the table's, counted from 0; "selected" columns are those handed out.
class ColumnSelection {
public:
    static constexpr std::size_t not_selected = std::numeric_limits<std::size_t>::max();
    /// More columns than this are taken for a damaged file: d x d moments would not fit anywhere.
    static constexpr std::size_t most_columns = 1'000'000;

    /// `names` has one name for each of the `width` >= 1 source columns, or is empty. Throws
    /// UsageError for an unknown, ambiguous or repeated column and for a bad scale.
    ColumnSelection(const std::string& table, std::size_t width, std::vector<std::string> names,
                    const TableOptions& options);

    /// Number of source columns.
    [[nodiscard]] std::size_t width() const noexcept { return selected_of_.size(); }
    /// Number of selected columns.
    [[nodiscard]] std::size_t size() const noexcept { return sources_.size(); }
    /// Names of the selected columns; empty if the table has none.
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

    /// What the selected columns are; empty where there is nothing to say.
    [[nodiscard]] const Schema& schema() const noexcept { return schema_; }

    /// Source column of each selected column.
    [[nodiscard]] const std::vector<std::size_t>& sources() const noexcept { return sources_; }
    /// Divisor of each selected column.
    [[nodiscard]] const std::vector<double>& divisors() const noexcept { return divisors_; }
    /// Selected column of each source column, or not_selected.
    [[nodiscard]] const std::vector<std::size_t>& selected_of() const noexcept {
        return selected_of_;
    }

    /// A selected column for a message: its source index, and its name if it has one.
    [[nodiscard]] std::string describe(std::size_t selected) const;

private:
    std::vector<std::size_t> sources_;
    std::vector<double> divisors_;
    std::vector<std::size_t> selected_of_;
    std::vector<std::string> names_;
    Schema schema_;
};

}  // namespace dpcov
