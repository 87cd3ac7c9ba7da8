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

/// The file formats of tables.
enum class Format {
    csv,  ///< text, fields between commas
    tsv,  ///< text, fields between tabs
    npy,  ///< NumPy's array: 2-D, float32, float64, integers of 8 to 64 bits, or bool
    idx,  ///< the format of MNIST
    svm,  ///< LIBSVM and SVMlight, sparse text
};

inline constexpr auto format_words = words_of<Format>({{"csv", Format::csv},
                                                       {"tsv", Format::tsv},
                                                       {"npy", Format::npy},
                                                       {"idx", Format::idx},
                                                       {"svm", Format::svm}});

/// What to do with a bad row. A row is bad if it holds a NaN, an infinity, a code for a missing
/// value, or a missing or unreadable field, and the column's bounds and fill do not take care of
/// it. It is also bad if it has the wrong number of fields, bad quotes, or a carriage return
/// between its fields, or is blank.
enum class BadRows {
    /// Throw DataError naming row and column, before anything is released.
    error,
    /// Take the row as the zero vector; it still counts in n. Each row is then mapped by itself:
    /// its content changes neither another row, nor n, nor d, nor whether the table can be read. In
    /// text a row is one physical line, blank or not. The number of columns must be known without
    /// the rows: from a header, from TableOptions::dimension, or from columns chosen by index.
    zero,
};

/// Whether the first line of a CSV or TSV names the columns. It is never guessed from the line
/// itself, which may be a person's row.
enum class Header {
    undeclared,  ///< `yes` where columns, bounds or scales are given by name; `no` where bounds are
                 ///< given by index alone, as 3 and 3=north are; else UndeclaredError
    yes,
    no,
};

/// How to read a table. All of it is public.
struct TableOptions {
    /// None: by the name of the file (see open_table).
    std::optional<Format> format = {};
    /// The character between the fields of a CSV or TSV, in place of the comma or the tab. Not a
    /// letter, a digit, a quote, a line end, NUL, nor any of ". + - _".
    std::optional<char> delimiter = {};
    /// The decimal mark of numbers in a CSV or TSV: a point, or a comma where that is not the
    /// delimiter. With a comma a number has no point, and no more than 1000 characters.
    char decimal = '.';
    Header header = Header::undeclared;
    BadRows bad_rows = BadRows::error;
    /// Columns to take, in this order; empty takes all. Each is a name or a 0-based index (a name
    /// wins), none twice. Text or a NaN in another column does no harm.
    ///
    /// A CSV or TSV also has indicators, NAME=VALUE, where no column has that name: 1 in rows whose
    /// field of column NAME is the text VALUE, else 0; missing where the field is missing. NAME is
    /// a name or an index, the longest before a `=` that is one. Fields are compared without the
    /// blanks and quotes around them. VALUE is neither empty nor a word for a missing value.
    std::vector<std::string> columns = {};
    /// What is known of the columns to take, in this order. Column::name names the column, as in
    /// `columns`; if it is empty, the column at the same place is meant. An indicator has no codes
    /// for missing values (UsageError): a code is a value like others. Values are then mapped by
    /// map_row(): they are clamped to the bounds, infinities too, and where there is a fill it
    /// replaces a missing or unreadable value. Under BadRows::zero a bad row becomes zeros after
    /// this map: the midpoints. Empty: no bounds. Not together with columns or scales (UsageError).
    Schema bounds = {};
    /// Divide every value by this public number (> 0, finite).
    double scale = 1.0;
    /// Public divisors of single columns of the table, in addition to `scale`. Pairs: (name or
    /// 0-based index, finite divisor > 0). Other columns stay.
    std::vector<std::pair<std::string, double>> column_scales = {};
    /// Number of columns of the whole table. LIBSVM does not tell it itself, and needs it unless
    /// columns are chosen by index. In a CSV or TSV every row must then have so many. Not for NPY
    /// and IDX, whose headers tell it.
    std::optional<std::size_t> dimension = {};
    /// Threads that turn lines of text into rows. The rows do not depend on it.
    unsigned threads = 1;
};

/// Reads the rows of a table in order, each once. Values are finite, of the selected columns, and
/// scaled or mapped. If rows were read and then lost, the reader is abandoned; open the table anew.
class DPCOV_EXPORT TableReader {
public:
    TableReader() = default;
    TableReader(const TableReader&) = delete;
    TableReader& operator=(const TableReader&) = delete;
    virtual ~TableReader() = default;

    /// Number of columns handed out (d >= 1).
    [[nodiscard]] virtual std::size_t columns() const noexcept = 0;
    /// What these columns are, and how their values were mapped. Empty where columns are known by
    /// their place alone and values come as they are. A column has a name where a declared header
    /// names it, and none where it was chosen by its place in a table without a header.
    [[nodiscard]] virtual const Schema& schema() const noexcept = 0;
    /// Number of rows in the whole table, where the format tells it first. For showing progress,
    /// and nothing else.
    [[nodiscard]] virtual std::optional<std::uint64_t> row_count_hint() const noexcept = 0;

    /// Reads the next rows into `rows`, row-major, and returns their number: 0 at the end, at once
    /// for a table without rows. There must be room for rows.size() / columns() >= 1 rows, else
    /// UsageError. Throws DataError (bad input) or DeviceError (a read failed). The library's
    /// readers are then abandoned, and every later call throws UsageError. Called from one thread
    /// at a time, but not always from the one that made the reader.
    virtual std::size_t read(std::span<double> rows) = 0;

    /// Marks the reader: rows were read from it and lost, so what is left is not the whole table.
    /// SecondMoment::add() calls this where it throws, for readers of any kind.
    void abandon() noexcept { abandoned_ = true; }
    /// Throws UsageError where the reader was abandoned. A class of your own may call it first in
    /// its read().
    void require_all_rows() const;

private:
    bool abandoned_ = false;
};

/// Opens a table: a file, a pipe or a device. The format is the one in the options, or else follows
/// from the end of its name: `.npy` (versions 1 to 3, C or Fortran order), `.csv`, `.tsv`, `.svm`,
/// `*-ubyte` (or another of IDX's types: `*-float`, ...). If `.gz` follows, the table is
/// decompressed. `-` is standard input: CSV where the options name no format.
///
/// Text: a byte order mark (UTF-8) is dropped, except under BadRows::zero without a header. There
/// it belongs to the first row, and makes it a bad row. Lines end in LF or CRLF. The last line may
/// have no end; after a last line end no line follows. A row is one line, and so is a header.
/// Fields may be quoted. A blank line is never skipped: it is a bad row (in a table of one column,
/// a missing value). A comment line in LIBSVM is a bad row, too. So is a row longer than 16 MiB
/// plus 32 bytes for each column, and one with a quote that is not closed. Spaces around names in a
/// header are dropped.
///
/// NPY: 64-bit integers beyond 2^53 are rounded to the nearest double; all else is exact. An array
/// in Fortran order cannot be read from a pipe.
///
/// Throws UndeclaredError (something must be declared first), UsageError (unknown column, options
/// that contradict each other), DataError (not a file of this format) or DeviceError (cannot be
/// opened).
[[nodiscard]] DPCOV_EXPORT std::unique_ptr<TableReader> open_table(
    const std::string& path, const TableOptions& options = {});

}  // namespace dpcov
