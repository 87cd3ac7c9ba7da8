// The exceptions that leave the library. Every one but std::bad_alloc derives from dpcov::Error, so
// a caller can catch one type (std::logic_error is a defect of dpcov); the command line maps each
// kind to an exit status and the bindings to an exception. They carry what went wrong as data, so
// that each interface can use its own words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "dpcov/export.hpp"

namespace dpcov {

/// Base of all exceptions thrown by dpcov. The text never contains a record's values; the only
/// texts that point at a record are DataError's, raised before anything is released.
class DPCOV_EXPORT Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The request makes no sense, whatever the data: an unknown method, a negative budget, a norm
/// bound of zero.
class DPCOV_EXPORT UsageError : public Error {
public:
    using Error::Error;
};

/// What must be declared of a table, because only its rows could tell it.
enum class Undeclared {
    format,     ///< which kind of table it is: its name does not say
    header,     ///< whether the first line of a text names the columns
    width,      ///< how many columns there are, where none are chosen by index
    delimiter,  ///< what stands between the fields: a column is not there, and another fits better
};

/// A table cannot be read before something more is declared about it.
class DPCOV_EXPORT UndeclaredError : public UsageError {
public:
    UndeclaredError(const std::string& text, Undeclared what) : UsageError(text), what_(what) {}

    /// What has to be declared.
    [[nodiscard]] Undeclared what_is_missing() const noexcept { return what_; }

private:
    Undeclared what_;
};

/// What is wrong with a value or a row.
enum class DataProblem {
    missing,          ///< an empty field, a mark such as NA, or a column's code such as -99
    unreadable,       ///< text that is no number
    out_of_range,     ///< text of a number too large for a double
    not_a_number,     ///< NaN
    infinite,         ///< plus or minus infinity
    width,            ///< another number of fields than the table has columns
    sparse_index,     ///< LIBSVM: an index that is no number or no column
    blank,            ///< nothing in the row at all
    quotes,           ///< the quotes do not tell where a field ends
    carriage_return,  ///< between the fields, where it does not end a line
    too_long,         ///< longer than the numbers of a row can be
    tabs,             ///< one field where tabs separate several values
    semicolons,       ///< one field where semicolons separate several numbers
    decimal_comma,    ///< a number with a comma where the decimal mark is a point
    decimal_point,    ///< a number with a point where the decimal mark is a comma
    thousands,        ///< a number with separators between its thousands, or what is cut at them
    percent,          ///< a number with a percent sign
    unit,             ///< a number with another sign, a unit or a currency beside it
    missing_word,     ///< text that may stand for a missing value, though it is none of the marks
    bars,             ///< one field where vertical bars separate several values
    separator_line,   ///< no row and no header, but a spreadsheet's line that says the delimiter
    other,            ///< the file as a whole: not of its kind, truncated, empty
};

/// Where in a table a problem is. Rows, lines and columns are counted as the table's reader counts
/// them.
struct DataPlace {
    std::optional<std::uint64_t> row = {};  ///< 1-based, without the header
    std::optional<std::uint64_t> line =
        {};  ///< 1-based, for text: the line in which the row begins
    std::optional<std::size_t> column = {};  ///< 0-based, of the file's columns
    std::string column_name = {};            ///< where it was declared
};

/// The input cannot be used as it is: a ragged row, a NaN, a truncated archive. Raised before any
/// budget is spent, except where rows are read a second time (ReleaseOptions::read_again).
class DPCOV_EXPORT DataError : public Error {
public:
    explicit DataError(const std::string& text, DataProblem problem = DataProblem::other,
                       DataPlace place = {})
        : Error(text), problem_(problem), place_(std::move(place)) {}

    [[nodiscard]] DataProblem problem() const noexcept { return problem_; }
    [[nodiscard]] const DataPlace& place() const noexcept { return place_; }

private:
    DataProblem problem_;
    DataPlace place_;
};

/// The privacy budget does not allow the release.
class DPCOV_EXPORT BudgetError : public Error {
public:
    explicit BudgetError(const std::string& text, std::optional<double> asked = {},
                         std::optional<double> left = {})
        : Error(text), asked_(asked), left_(left) {}

    /// What the release would cost, in the account's unit: rho or epsilon. None where the refusal
    /// is not about amounts.
    [[nodiscard]] std::optional<double> asked() const noexcept { return asked_; }
    /// What is left of the account's total, likewise.
    [[nodiscard]] std::optional<double> left() const noexcept { return left_; }

private:
    std::optional<double> asked_;
    std::optional<double> left_;
};

/// A file or a device failed: cannot open, disk full, no entropy, too little memory, a BLAS that is
/// not exact.
class DPCOV_EXPORT DeviceError : public Error {
public:
    explicit DeviceError(const std::string& text, int error = 0) : Error(text), error_(error) {}
    /// What the system said (errno); 0 where it said nothing.
    [[nodiscard]] int system_error() const noexcept { return error_; }

private:
    int error_;
};

}  // namespace dpcov
