#include "tables/csv_reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "tables/blanks.hpp"
#include "tables/line_reader.hpp"
#include "tables/row_finisher.hpp"
#include "tables/split_fields.hpp"
#include "tables/text_problems.hpp"
#include "tables/text_reader.hpp"
#include "text/counted.hpp"

namespace dpcov {

namespace {

/// What is wrong with a record that does not come apart into fields.
struct RecordProblem {
    DataProblem problem = DataProblem::quotes;
    const char* text = "";
};

RecordProblem problem_of(const Record& record, SplitEnd end) {
    if (record.too_long) {
        return {DataProblem::too_long, "the row is too long for its columns"};
    }
    switch (end) {
        case SplitEnd::open_quote:
            return {DataProblem::quotes, "a quote is opened and not closed on its line"};
        case SplitEnd::text_after_quote:
            return {DataProblem::quotes,
                    "text follows a closing quote; a quote inside a quoted field must be written "
                    "twice"};
        default:
            return {DataProblem::carriage_return,
                    "a carriage return stands between the fields; lines end in LF or CRLF"};
    }
}

/// Hands the fields of a record to `take` as split_fields() does, and says what is wrong where it
/// does not come apart. Of one that is too long no field is taken.
template <class TakeField, class TakeFront = TakeNone>
std::optional<RecordProblem> split_record(const Record& record, char delimiter, TakeField&& take,
                                          TakeFront&& take_front = {}) {
    const SplitEnd end = record.too_long
                             ? SplitEnd::done
                             : split_fields(record.text, delimiter, std::forward<TakeField>(take),
                                            std::forward<TakeFront>(take_front));
    if (end == SplitEnd::done && !record.too_long) {
        return std::nullopt;
    }
    return problem_of(record, end);
}

constexpr const char* separator_line_text =
    "the line is Excel's (sep=), neither a header nor a row";

/// A closer word for a record that is wrong, where there will be a message about its line.
RecordProblem explained_by_line(const RecordProblem& problem, std::string_view record,
                                char delimiter, bool first_line) {
    if (first_line && is_separator_line(record)) {
        return {DataProblem::separator_line, separator_line_text};
    }
    if (problem.problem == DataProblem::quotes) {
        if (const std::optional<char> other = other_delimiter(record, delimiter)) {
            return {problem_of_delimiter(*other), "no delimiter follows a quoted field"};
        }
    }
    return problem;
}

/// A field that is text, not a number.
class FieldText {
public:
    FieldText(std::string_view field, bool quoted)
        : text_(without_blanks(field)), quoted_(quoted), missing_(is_missing(field)) {}

    /// What the indicator of a value has.
    [[nodiscard]] ParsedNumber indicator_of(std::string_view value) const {
        const bool same = quoted_ ? is_with_doubled_quotes(text_, value) : text_ == value;
        return missing_ ? ParsedNumber{.problem = DataProblem::missing}
                        : ParsedNumber{.value = same ? 1.0 : 0.0, .problem = {}};
    }

private:
    std::string_view text_;
    bool quoted_;
    bool missing_;
};

class CsvReader final : public TextReader {
public:
    CsvReader(LineReader lines, char delimiter, RowFinisher finisher, const TableOptions& options,
              Shortcuts shortcuts)
        : TextReader(std::move(lines), std::move(finisher),
                     shortcuts == Shortcuts::taken ? options.threads : 0),
          delimiter_(delimiter),
          decimal_comma_(options.decimal == ','),
          shortcuts_(decimal_comma_ ? Shortcuts::left_out : shortcuts) {}

private:
    void read_row(const RowPlace& place, const Record& record,
                  std::span<double> row) const override {
        const ColumnSelection& selection = finisher().selection();
        const bool blank = !record.too_long && is_blank(record.text, delimiter_);
        if (blank && selection.width() != 1) {
            finisher().reject_row(place, row, DataProblem::blank, "the line is blank");
            return;
        }
        std::size_t fields = 0;
        std::optional<BadCell> bad_cell;
        const auto put = [&](std::string_view text, std::size_t selected,
                             const ParsedNumber& number) {
            row[selected] = take_cell(number, selected, bad_cell, [&](DataProblem problem) {
                return blank ? DataProblem::blank : explain(problem, text, record.text);
            });
        };
        const auto take = [&](std::string_view text, bool quoted) {
            const std::size_t source = fields++;
            if (source >= selection.width()) {
                return;
            }
            const std::size_t selected = selection.selected_of()[source];
            if (selected < selection.size()) {
                put(text, selected, number_of(text));
            } else if (selected != ColumnSelection::not_selected) {
                const auto& [number, indicators] =
                    selection.indicators()[selected - selection.size()];
                if (number != ColumnSelection::not_selected) {
                    put(text, number, number_of(text));
                }
                const FieldText field(text, quoted);
                for (const auto& [indicator, value] : indicators) {
                    put(text, indicator, field.indicator_of(value));
                }
            }
        };
        // Most fields are nothing but a number, which says itself where it ends.
        const auto take_front = [&](std::string_view rest) -> std::size_t {
            const std::size_t selected = fields < selection.width()
                                             ? selection.selected_of()[fields]
                                             : ColumnSelection::not_selected;
            // One that has indicators is not taken by its number, nor is one that is not selected.
            if (selected >= selection.size() || shortcuts_ == Shortcuts::left_out) {
                return 0;
            }
            const NumberInFront number = number_in_front(rest);
            if (number.length == 0 ||
                (number.length < rest.size() && rest[number.length] != delimiter_)) {
                return 0;
            }
            row[selected] = number.value;
            ++fields;
            return number.length;
        };
        const std::optional<RecordProblem> problem =
            split_record(record, delimiter_, take, take_front);
        const std::size_t width = selection.width();
        if (problem) {
            reject_record(place, row, *problem, record.text);
        } else if (selection.width_is_exact() ? fields != width : fields < width) {
            reject_width(place, row, fields, record.text);
        } else if (bad_cell && place.line == 1 && is_separator_line(record.text)) {
            finisher().reject_row(place, row, DataProblem::separator_line, separator_line_text);
        } else if (bad_cell) {
            finisher().reject(place, row, bad_cell->selected, bad_cell->problem);
        } else {
            finisher().finish(place, row);
        }
    }

    [[nodiscard]] ParsedNumber number_of(std::string_view field) const {
        const ParsedNumber number =
            decimal_comma_ ? parse_number_with_comma(field) : parse_number(field);
        const std::optional<double> truth =
            number.problem == DataProblem::unreadable ? truth_value(field) : std::nullopt;
        return truth ? ParsedNumber{.value = *truth, .problem = {}} : number;
    }

    /// A closer word for a field that is no number, where there will be a message.
    [[nodiscard]] DataProblem explain(DataProblem problem, std::string_view field,
                                      std::string_view record) const {
        if (finisher().zeroes() || problem != DataProblem::unreadable) {
            return problem;
        }
        if (decimal_comma_ && !parse_number(field).problem) {
            return DataProblem::decimal_point;
        }
        if (!decimal_comma_ && delimiter_ != ',' && !parse_number_with_comma(field).problem) {
            return DataProblem::decimal_comma;
        }
        if (has_thousands_separators(field)) {
            return DataProblem::thousands;
        }
        if (delimiter_ != '\t' && without_blanks(field).find('\t') != std::string_view::npos) {
            return DataProblem::tabs;
        }
        const std::optional<char> other = other_delimiter(record, delimiter_);
        return other ? problem_of_delimiter(*other) : problem_of_field(field);
    }

    void reject_record(const RowPlace& place, std::span<double> row, RecordProblem problem,
                       std::string_view text) const {
        if (!finisher().zeroes()) {
            problem = explained_by_line(problem, text, delimiter_, place.line == 1);
        }
        finisher().reject_row(place, row, problem.problem, problem.text);
    }

    void reject_width(const RowPlace& place, std::span<double> row, std::size_t fields,
                      std::string_view text) const {
        if (finisher().zeroes()) {
            finisher().reject_row(place, row, DataProblem::width, {});
            return;
        }
        if (place.line == 1 && is_separator_line(text)) {
            finisher().reject_row(place, row, DataProblem::separator_line, separator_line_text);
            return;
        }
        const std::size_t width = finisher().selection().width();
        const std::optional<char> other = other_delimiter(text, delimiter_);
        const DataProblem problem = other ? problem_of_delimiter(*other)
                                    : thousands_explain(text, delimiter_, fields, width)
                                        ? DataProblem::thousands
                                        : DataProblem::width;
        finisher().reject_row(place, row, problem,
                              "the row has " + detail::counted(fields, "field") +
                                  ", the table has " + detail::counted(width, "column"));
    }

    char delimiter_;
    bool decimal_comma_;
    Shortcuts shortcuts_;
};

/// Whether the first line names the columns, by what was declared. It is not looked at: column
/// names reach messages and the released file, so a person's row must never be taken for them.
bool has_header(const std::string& table, const TableOptions& options) {
    if (options.header != Header::undeclared) {
        return options.header == Header::yes;
    }
    const auto named = [](const std::string& column) { return !is_place(column); };
    if (std::any_of(options.columns.begin(), options.columns.end(), named) ||
        std::any_of(options.bounds.begin(), options.bounds.end(),
                    [&](const Column& column) { return named(column.name); }) ||
        std::any_of(options.column_scales.begin(), options.column_scales.end(),
                    [&](const auto& entry) { return named(entry.first); })) {
        return true;
    }
    if (!options.bounds.empty()) {
        return false;
    }
    throw UndeclaredError(
        table +
            ": nothing says whether the first line is a header, and it may be a row that "
            "must not be shown",
        Undeclared::header);
}

std::string one_name_with(char other) {
    return std::string("one name with ") +
           (other == ';'    ? "semicolons"
            : other == '\t' ? "tabs"
                            : "vertical bars") +
           " in it";
}

/// What the first line says of the columns.
struct Front {
    std::vector<std::string> names = {};
    std::optional<std::size_t> width = {};
    std::optional<char> perhaps_delimiter = {};  ///< where it looks as if another one were
};

/// Hands the fields of the first line to `take`, and returns how many there are; has `fail` throw
/// where they are none that a table can have. Without `told` no message tells what is in the line.
template <class TakeField, class Fail>
std::size_t split_first_line(const LineReader& lines, char delimiter, bool told,
                             const TakeField& take, const Fail& fail) {
    const Record record{lines.text(), lines.too_long()};
    if (!record.too_long && is_blank(record.text, delimiter)) {
        fail(DataProblem::blank, "the line is blank");
    }
    if (told && is_separator_line(record.text)) {
        fail(DataProblem::separator_line, separator_line_text);
    }
    std::size_t fields = 0;
    const auto take_and_count = [&](std::string_view text, bool quoted) {
        ++fields;
        take(text, quoted);
    };
    if (const auto found = split_record(record, delimiter, take_and_count)) {
        const RecordProblem problem = explained_by_line(*found, record.text, delimiter, false);
        fail(problem.problem, problem.text);
    }
    if (fields > ColumnSelection::most_columns) {
        fail(DataProblem::width, "more than the " + std::to_string(ColumnSelection::most_columns) +
                                     " columns that can be used");
    }
    return fields;
}

Front read_header(LineReader& lines, char delimiter, const TableOptions& options) {
    if (!lines.next()) {
        throw DataError(lines.name() + ": the file is empty; not even a header is there");
    }
    std::vector<std::string> names;
    bool last_is_quoted = false;
    const auto take = [&](std::string_view text, bool quoted) {
        last_is_quoted = quoted;
        if (names.size() <= ColumnSelection::most_columns) {
            const std::string name = quoted ? without_doubled_quotes(text) : std::string(text);
            names.emplace_back(without_blanks(name));
        }
    };
    const auto fail = [&lines](DataProblem problem, const std::string& text) {
        throw DataError(
            lines.name() + ": line " + std::to_string(lines.line()) + ", the header: " + text,
            problem, {.line = lines.line()});
    };
    // Under BadRows::zero no message tells what is in a line that may be a row.
    const bool told = options.header == Header::yes || options.bad_rows == BadRows::error;
    const std::size_t width = split_first_line(lines, delimiter, told, take, fail);
    // Under BadRows::zero nobody would be told of the rows. Quotes say that it is one name.
    const std::optional<char> other =
        told ? other_delimiter(lines.text(), delimiter) : std::nullopt;
    if (width == 1 && other && !last_is_quoted && !options.delimiter) {
        fail(problem_of_delimiter(*other), one_name_with(*other));
    }
    return {.names = std::move(names), .width = width, .perhaps_delimiter = other};
}

/// The width of the first row, which stays to be read; none where there is no row.
Front look_at_first_row(LineReader& lines, char delimiter) {
    if (!lines.next()) {
        return {};
    }
    const auto fail = [&lines](DataProblem problem, const std::string& text) {
        throw DataError(
            lines.name() + ": row 1 (line " + std::to_string(lines.line()) + "): " + text, problem,
            {.row = 1, .line = lines.line()});
    };
    const std::size_t width = split_first_line(
        lines, delimiter, true, [](std::string_view /*text*/, bool /*quoted*/) {}, fail);
    const std::optional<char> other = other_delimiter(lines.text(), delimiter);
    lines.again();
    return {.width = width, .perhaps_delimiter = other};
}

void check_delimiter(char delimiter) {
    const bool alphanumeric = (delimiter >= '0' && delimiter <= '9') ||
                              (delimiter >= 'A' && delimiter <= 'Z') ||
                              (delimiter >= 'a' && delimiter <= 'z');
    constexpr std::string_view others{"\"\r\n.+-_\0", 8};
    if (alphanumeric || others.find(delimiter) != std::string_view::npos) {
        throw UsageError(
            "the delimiter is a letter, a digit, or of the signs of numbers, quotes and line ends, "
            "and could not be told from what stands between delimiters; common ones are , ; | and "
            "tab");
    }
}

void check_decimal(char decimal, char delimiter) {
    if (decimal != '.' && decimal != ',') {
        throw UsageError("the decimal mark is a point or a comma");
    }
    if (decimal == delimiter) {
        throw UsageError(
            "a comma cannot be both the decimal mark and the delimiter; such files have another "
            "delimiter, often ;");
    }
}

}  // namespace

std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteStream> stream, char delimiter,
                                      const TableOptions& options, std::size_t longest_line,
                                      Shortcuts shortcuts) {
    delimiter = options.delimiter.value_or(delimiter);
    check_delimiter(delimiter);
    check_decimal(options.decimal, delimiter);
    const bool header = has_header(stream->name(), options);
    std::optional<std::size_t> width = options.dimension;
    if (width) {
        ColumnSelection::check_dimension(*width);
    }
    const bool zero = options.bad_rows == BadRows::zero;
    const bool by_place = !options.columns.empty() || !options.bounds.empty();
    const auto throw_undeclared_width = [name = stream->name()](const char* text) {
        throw UndeclaredError(name + text, Undeclared::width);
    };
    if (zero && !header && !width && !by_place) {
        throw_undeclared_width(
            ": nothing but its rows tells how many columns there are, and a bad row may tell it "
            "wrong; declare the number, or choose columns by index");
    }

    LineReader lines(std::move(stream), longest_line);
    if (header || !zero) {
        lines.settle_encoding();
    }
    Front front;
    if (header) {
        front = read_header(lines, delimiter, options);
        if (width && *width != front.names.size()) {
            throw UsageError(lines.name() + ": the header names " +
                             std::to_string(front.names.size()) + " columns, where " +
                             std::to_string(*width) + " were declared");
        }
        width = front.width;
    } else if (!width && !zero) {
        front = look_at_first_row(lines, delimiter);
        width = front.width;
        if (!width && !by_place) {
            throw_undeclared_width(
                ": no header, and no rows to tell how many columns there are; declare the number");
        }
    }
    ColumnSelection selection(lines.name(), width, std::move(front.names), options,
                              front.perhaps_delimiter);
    lines.make_room_for(selection.width());
    RowFinisher finisher(lines.name(), std::move(selection), options.bad_rows);
    return std::make_unique<CsvReader>(std::move(lines), delimiter, std::move(finisher), options,
                                       shortcuts);
}

}  // namespace dpcov
