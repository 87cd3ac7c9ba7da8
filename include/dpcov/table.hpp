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

#include "dpcov/export.hpp"
#include "dpcov/schema.hpp"
#include "dpcov/words.hpp"

namespace dpcov {

/// The kinds of tables.
enum class Format {
    csv,  ///< text, fields between commas
    tsv,  ///< text, fields between tabs
    npy,  ///< NumPy's array: 2-D, float32, float64, integers of 8 to 64 bits, or bool
    idx,  ///< the format of MNIST
    svm,  ///< LIBSVM and SVMlight, sparse text
};

inline constexpr Words<Format, 5> format_words = {{{"csv", Format::csv},
                                                   {"tsv", Format::tsv},
                                                   {"npy", Format::npy},
                                                   {"idx", Format::idx},
                                                   {"svm", Format::svm}}};

/// What to do with a bad row: one that holds a NaN, an infinity, a missing or unreadable field
/// (each only where the column's bounds and fill do not take care of it), or that has the wrong
/// number of fields, bad quotes, a carriage return between its fields, or nothing at all in it.
enum class BadRows {
    /// Throw DataError naming row and column, before anything is released.
    error,
    /// Take the row as the zero vector; it still counts in n. Each row is then mapped by itself:
    /// whatever stands in it, it changes neither another row, nor n, nor d, nor whether the table
    /// can be read. In text a row is one physical line, blank or not, and the width must be known
    /// without the rows: from a header, TableOptions::dimension, or columns chosen by index.
    zero,
};

/// Whether the first line of a CSV or TSV names the columns. Never guessed from what stands there:
/// that may be a person's row.
enum class Header {
    undeclared,  ///< `yes` where columns, bounds or scales are given by name; `no` where bounds are
                 ///< given by index alone; else UndeclaredError
    yes,
    no,
};

/// How to read a table. All of it is public.
struct TableOptions {
    /// Without it, by the name of the file.
    std::optional<Format> format = {};
    /// Between the fields of a CSV or TSV, in place of the comma or the tab. No letter, digit,
    /// quote, line end, nor any of ". + - _" or NUL.
    std::optional<char> delimiter = {};
    /// The decimal mark of numbers in a CSV or TSV: a point, or a comma where that is not the
    /// delimiter. With a comma a number has no point, and no more than 1000 characters.
    char decimal = '.';
    Header header = Header::undeclared;
    BadRows bad_rows = BadRows::error;
    /// Columns to take, in this order, each a name or a 0-based index (a name wins), none twice;
    /// empty takes all. Text or a NaN in another column does no harm.
    std::vector<std::string> columns = {};
    /// What is known of the columns to take, in this order. Column::name says which one it is, as
    /// in `columns`; empty, it is the one at the same place. Values are then mapped by map_row():
    /// clamped to the bounds, an infinity too, and a value that is missing or cannot be read is
    /// filled where there is a fill. A bad row becomes zeros after that map, so it stands for the
    /// midpoints. Empty: no bounds. Not together with columns or scales (UsageError).
    Schema bounds = {};
    /// Divide every value by this public number (> 0, finite).
    double scale = 1.0;
    /// Public divisors by column of the table, on top of `scale`: (name or 0-based index, divisor
    /// > 0, finite). Unlisted columns stay.
    std::vector<std::pair<std::string, double>> column_scales = {};
    /// Columns of the table as a whole: needed for LIBSVM, which does not say so itself, unless
    /// columns are chosen by index; for a CSV or TSV what a row must have. Not for NPY and IDX,
    /// whose headers say it.
    std::optional<std::size_t> dimension = {};
    /// Threads that turn lines of text into rows. The rows are the same however many there are.
    unsigned threads = 1;
};

/// Rows of a table in order. Values come out selected, scaled or mapped, and finite. Each row comes
/// once: a reader of which rows were lost is abandoned, and the table is opened anew.
class DPCOV_EXPORT TableReader {
public:
    virtual ~TableReader() = default;

    /// Number of columns handed out (d >= 1).
    [[nodiscard]] virtual std::size_t columns() const noexcept = 0;
    /// What those columns are and how their values were mapped; empty where there is nothing to
    /// say: they are known by their place alone and come as they are. A column has a name where a
    /// header was declared and names it, and none where it was chosen by its place in a table
    /// without a header.
    [[nodiscard]] virtual const Schema& schema() const noexcept = 0;
    /// Rows in the whole table where the format says so up front (progress, nothing else).
    [[nodiscard]] virtual std::optional<std::uint64_t> row_count_hint() const noexcept = 0;

    /// Called from one thread at a time, but not always from the one that made the reader.
    /// Fills `rows` (row-major, capacity rows.size() / columns() >= 1, else UsageError) and returns
    /// how many rows were read; 0 at the end, at once for a table without rows. Throws DataError
    /// (bad input) or DeviceError (a read failed). The library's readers are then abandoned, and
    /// throw UsageError from every later call.
    virtual std::size_t read(std::span<double> rows) = 0;

    /// Says that rows were read which went nowhere: whoever reads on would take what is left for
    /// the whole table. SecondMoment::add() says so where it throws, of readers of any kind.
    void abandon() noexcept { abandoned_ = true; }
    /// Throws UsageError where the reader was abandoned. A reader of another kind than the
    /// library's may call it first in its read().
    void require_all_rows() const;

private:
    bool abandoned_ = false;
};

/// Opens a table: a file, a pipe or a device, of the format that the options name, or else that its
/// name ends in: `.npy` (versions 1 to 3, C or Fortran order), `.csv`, `.tsv`, `.svm`, `*-ubyte`
/// (or another of IDX's types: `*-float`, ...). With `.gz` behind it, it is decompressed. `-` is
/// standard input, CSV where no format is named.
///
/// Text: a byte order mark (UTF-8) is dropped, but under BadRows::zero without a header, where it
/// belongs to the first row, which it makes a bad one. Lines end in LF or CRLF; a last line without
/// an end is a line, and none follows a last end. A row is one line, and so is a header. Fields may
/// be quoted. A blank line is a bad row (a missing value where there is but one column), never
/// skipped; so is a comment's line in LIBSVM. A row is bad, too, where it is longer than 16 MiB and
/// 32 bytes for each column, or a quote is not closed. Names in a header come without the spaces
/// around them.
///
/// NPY: 64-bit integers beyond 2^53 are rounded to the nearest double; all else is exact. An array
/// in Fortran order can be read neither compressed nor from a pipe.
///
/// Throws UndeclaredError (see there), UsageError (unknown column, options that contradict each
/// other), DataError (not such a file) or DeviceError (cannot be opened).
[[nodiscard]] DPCOV_EXPORT std::unique_ptr<TableReader> open_table(
    const std::string& path, const TableOptions& options = {});

}  // namespace dpcov
