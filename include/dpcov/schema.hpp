// What is publicly known of a table's columns: names, bounds, fills, scales. Declared by whoever
// owns the table, never inferred from its rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/export.hpp"

namespace dpcov {

/// The least and the greatest value that a column can have; lower < upper, from 1e-60 to 1e60
/// apart, and not so close together for their size that their midpoint is no double, to a millionth
/// of the half-range.
struct ColumnBounds {
    double lower = 0.0;
    double upper = 0.0;
    friend bool operator==(const ColumnBounds&, const ColumnBounds&) = default;
};

/// One column, in the table's units. A value x becomes (x - m) / h with the midpoint m and the
/// half-range h of `bounds`, after clamping to them: always within [-1, 1]. Without bounds it
/// becomes x / scale.
struct DPCOV_EXPORT Column {
    std::string name = {};  ///< UTF-8, as declared; empty: known by its place alone
    std::optional<ColumnBounds> bounds = {};
    /// Taken for a value that is missing or cannot be read; within the bounds. Only with bounds.
    std::optional<double> fill = {};
    double scale = 1.0;  ///< > 0, finite; 1 where there are bounds

    /// What a mapped value of 0 stands for: the midpoint of the bounds, or 0.
    [[nodiscard]] double midpoint() const;
    /// What a mapped distance of 1 stands for: the half-range of the bounds, or the scale.
    [[nodiscard]] double unit() const;

    friend bool operator==(const Column&, const Column&) = default;
};

/// The columns of a table, in the order in which they are released.
using Schema = std::vector<Column>;

/// The columns' names; none at all where no column has one.
[[nodiscard]] DPCOV_EXPORT std::vector<std::string> column_names(const Schema& schema);

/// Whether any column has bounds.
[[nodiscard]] DPCOV_EXPORT bool has_bounds(const Schema& schema);

/// `schema`, or none where it says nothing: neither a name, nor bounds, nor a scale.
[[nodiscard]] DPCOV_EXPORT Schema without_defaults(Schema schema);

/// Throws UsageError naming the column where name, bounds, fill or scale are not as Column says.
DPCOV_EXPORT void check_schema(const Schema& schema);

/// sqrt(d) where every column has bounds: no mapped row is longer. Moved to an origin of d values
/// and stretched by d factors (none: 1) the root of the sum of (1 + |o_j|)^2 s_j^2. Nothing else
/// can be said without a declared norm bound. UsageError for an origin or a stretch of another
/// length than the schema.
[[nodiscard]] DPCOV_EXPORT std::optional<double> implied_norm_bound(
    const Schema& schema, std::span<const double> origin = {},
    std::span<const double> stretch = {});

/// Returns `asked`, which is 0 where none was asked for. Returns what the bounds imply where that
/// is 0, or more than 2 % above it, which only adds noise (norm_bound_for_unit() adds 1 %). Returns
/// 0 where `asked` is 0 and not every column has bounds. UsageError for an `asked` that is negative
/// or no finite number, and for an origin and a stretch as implied_norm_bound().
[[nodiscard]] DPCOV_EXPORT double norm_bound_within(const Schema& schema, double asked,
                                                    std::span<const double> origin = {},
                                                    std::span<const double> stretch = {});

/// Maps a row of schema.size() values in place. Looks at that row alone. NaN stands for a missing
/// value. False, with the row in no particular state, where a value is missing and has no fill, or
/// is infinite and has no bounds, and where the row has another number of values. A finite value
/// over its scale is at most the greatest double.
[[nodiscard]] DPCOV_EXPORT bool map_row(const Schema& schema, std::span<double> row) noexcept;

/// Reads lines of `name,lower,upper[,fill]`, one a column in the order in which they are to be
/// released; an empty fill is none. A first line that says just that is a header. As in any CSV
/// here, fields may be quoted and have spaces around them, lines end in LF or CRLF, and a byte
/// order mark is dropped; blank lines are, too. Names may be 0-based indices of columns. Throws
/// DataError naming the line (not so many numbers, bounds and fill not as Column says, a name
/// twice), and DeviceError where the file cannot be read.
[[nodiscard]] DPCOV_EXPORT Schema read_schema(const std::string& path);

/// Reads lines of `name,scale` likewise, the scale finite and > 0.
[[nodiscard]] DPCOV_EXPORT std::vector<std::pair<std::string, double>> read_column_scales(
    const std::string& path);

}  // namespace dpcov
