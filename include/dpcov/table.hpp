// Reading tables of numbers, a block of rows at a time: memory does not grow with the number of
// rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/schema.hpp"

namespace dpcov {

/// What to do with a row that holds a NaN, an infinity, a missing or unreadable field, or has the
/// wrong number of fields.
enum class BadRows {
    error,  ///< throw DataError naming row and column, before anything is released
    zero,   ///< take the row as the zero vector; it still counts in n
};

/// Whether the first record of a CSV/TSV names the columns.
enum class Header {
    detect,  ///< yes if it has text and no number, no if it has no text; DataError for a mixture,
             ///< so that a row is never lost, nor released as column names, by a wrong guess
    yes,
    no,
};

/// How to read a table.
struct TableOptions {
    Header header = Header::detect;
    BadRows bad_rows = BadRows::error;
    /// Columns to take, in this order, each a name or a 0-based index (a name wins), none twice;
    /// empty takes all. Text or a NaN in another column does no harm.
    std::vector<std::string> columns = {};
    /// Divide every value by this public number (> 0, finite).
    double scale = 1.0;
    /// Public divisors by column of the table, on top of `scale`: (name or 0-based index, divisor
    /// > 0, finite). Unlisted columns stay.
    std::vector<std::pair<std::string, double>> column_scales = {};
    /// Columns of a LIBSVM file (`.svm`), which does not say so itself; public. For no other kind.
    std::optional<std::size_t> dimension = {};
};

/// Rows of a table in order. Values come out scaled, selected and, under BadRows::error, finite.
class TableReader {
public:
    virtual ~TableReader() = default;

    /// Number of columns handed out (d >= 1).
    [[nodiscard]] virtual std::size_t columns() const noexcept = 0;
    /// What those columns are and how their values were mapped; empty where there is nothing to
    /// say: they are known by their place alone and come as they are.
    [[nodiscard]] virtual const Schema& schema() const noexcept = 0;
    /// Rows in the whole table where the format says so up front (progress, nothing else).
    [[nodiscard]] virtual std::optional<std::uint64_t> row_count_hint() const noexcept = 0;

    /// Fills `rows` (row-major, capacity rows.size() / columns() >= 1, else UsageError) and returns
    /// how many rows were read; 0 at the end. Throws DataError (bad input) or DeviceError (a read
    /// failed); the reader is then of no further use.
    virtual std::size_t read(std::span<double> rows) = 0;
};

/// Opens a table by its name: `.npy` (float32/float64, 2-D, C or Fortran order, versions 1 to 3),
/// `.csv`, `.tsv`, LIBSVM (`.svm`, with TableOptions::dimension), IDX images (`*-ubyte`, or another
/// of IDX's types: `*-float`, ...), each also with `.gz` behind it; `-` is CSV on standard input.
/// Blank lines of a CSV are no rows: in a table of one column a missing value is written "". A
/// Fortran-order `.npy` cannot be compressed.
/// Throws UsageError (unknown kind, unknown column), DataError (not such a file, empty) or
/// DeviceError (cannot be opened).
[[nodiscard]] std::unique_ptr<TableReader> open_table(const std::string& path,
                                                      const TableOptions& options = {});

}  // namespace dpcov
