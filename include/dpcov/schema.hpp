// What is publicly known of a table's columns: names, bounds, fills, codes for missing values,
// scales. Declared by whoever owns the table, never inferred from its rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/export.hpp"

namespace dpcov {

/// The least and the greatest value that a column can have, in the table's units. Finite,
/// lower < upper, and from 1e-60 to 1e60 apart. They must not be too close together for their size:
/// a double must be their midpoint to a millionth of the half-range.
struct ColumnBounds {
    double lower = 0.0;
    double upper = 0.0;
    friend bool operator==(const ColumnBounds&, const ColumnBounds&) = default;
};

/// One column, in the table's units. A value x is clamped to `bounds`, and becomes (x - m) / h,
/// where m is their midpoint and h their half-range. The result is always within [-1, 1]. Without
/// bounds it becomes x / scale.
struct DPCOV_EXPORT Column {
    std::string name = {};  ///< UTF-8, as declared; empty: known by its place alone
    std::optional<ColumnBounds> bounds = {};
    /// The value that replaces a missing or unreadable one. Within the bounds; only with bounds.
    std::optional<double> fill = {};
    /// Codes: numbers that stand for a missing value, such as -99. Finite, within the bounds or
    /// not; only with bounds. A value that equals one, as a double, is a missing value, as NaN is.
    std::vector<double> missing = {};
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

/// Returns `schema`, or an empty one where no column has a name, bounds or a scale.
[[nodiscard]] DPCOV_EXPORT Schema without_defaults(Schema schema);

/// Throws UsageError, naming the column, where a name, bounds, a fill, codes or a scale are not as
/// Column says.
DPCOV_EXPORT void check_schema(const Schema& schema);

/// The greatest norm that a mapped row can have: sqrt(d) where every column has bounds, else none.
/// For rows moved by an `origin` o of d values and stretched by d factors s (empty: 0 and 1) it is
/// the root of the sum of (1 + |o_j|)^2 s_j^2. UsageError for an origin or a stretch of another
/// length than the schema.
[[nodiscard]] DPCOV_EXPORT std::optional<double> implied_norm_bound(
    const Schema& schema, std::span<const double> origin = {},
    std::span<const double> stretch = {});

/// The norm bound to use where `asked` was asked for; 0 stands for none. Returns
/// implied_norm_bound() where `asked` is 0, or more than 2 % above it: more would only add noise
/// (norm_bound_for_unit() adds 1 %). Else returns `asked`; so 0 where it is 0 and a column has no
/// bounds. UsageError for an `asked` that is negative or not finite, and as implied_norm_bound()
/// for origin and stretch.
[[nodiscard]] DPCOV_EXPORT double norm_bound_within(const Schema& schema, double asked,
                                                    std::span<const double> origin = {},
                                                    std::span<const double> stretch = {});

/// Maps a row of schema.size() values in place, as Column says. Looks at that row alone. NaN and
/// the column's codes stand for a missing value. Returns false for a bad row: a value is missing
/// and has no fill, or is infinite and has no bounds, or the row has another number of values. The
/// row may then hold anything. Where a finite value divided by its scale is too large, the greatest
/// double is taken.
[[nodiscard]] DPCOV_EXPORT bool map_row(const Schema& schema, std::span<double> row) noexcept;

/// Reads lines of `name,lower,upper[,fill[,missing]]`: one line for each column, in the order of
/// the release. An empty fill is none. `missing` has the codes, with blanks between them. A first
/// line with just these words is a header. As in any CSV here, fields may be quoted and have spaces
/// around them, lines end in LF or CRLF, and a byte order mark is dropped. Blank lines are dropped,
/// too. A name may be the 0-based index of a column, or NAME=VALUE (TableOptions::columns). Throws
/// DataError, naming the line, for another number of fields, for bounds, a fill and codes that are
/// not as Column says, and for a name that comes twice. Throws DeviceError where the file cannot be
/// read.
[[nodiscard]] DPCOV_EXPORT Schema read_schema(const std::string& path);

/// Reads lines of `name,scale`, as read_schema(); a scale is finite and > 0.
[[nodiscard]] DPCOV_EXPORT std::vector<std::pair<std::string, double>> read_column_scales(
    const std::string& path);

}  // namespace dpcov
