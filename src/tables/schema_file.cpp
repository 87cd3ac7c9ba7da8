// Files that say what is publicly known of columns: bounds, or scales.
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/schema.hpp"
#include "files/byte_stream.hpp"
#include "tables/blanks.hpp"
#include "tables/column_problem.hpp"
#include "tables/line_reader.hpp"
#include "tables/lower_case.hpp"
#include "tables/parse_number.hpp"
#include "tables/split_fields.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {

namespace {

/// Reads the lines of a file of columns, the first field of each a name that no other line has. A
/// first line of nothing but the fields' own names is a header, and blank lines are none.
class ColumnFile {
public:
    /// `titles` are the fields' names, of which the last ones may be missing down to `fewest`.
    ColumnFile(const std::string& path, std::span<const std::string_view> titles,
               std::size_t fewest)
        : lines_(open_file_stream(path)), titles_(titles), fewest_(fewest) {
        lines_.settle_encoding();
    }

    /// Moves on to the next column; false at the end. Throws DataError, also where there was none.
    bool next() {
        while (lines_.next()) {
            split();
            if (fields_.empty() || (columns_ == 0 && lines_.line() == first_line_ && is_header())) {
                continue;
            }
            if (fields_.size() < fewest_ || fields_.size() > titles_.size()) {
                const bool otherwise =
                    lines_.text().find_first_of(";\t|") != std::string_view::npos;
                fail("expected " + expected() +
                     (otherwise ? "; whatever divides the fields of the table, here it is a comma"
                                : ""));
            }
            if (!names_.insert(fields_[0]).second) {
                fail("column " + in_quotes(fields_[0]) + " is there twice");
            }
            ++columns_;
            return true;
        }
        if (columns_ == 0) {
            throw DataError(lines_.name() + ": no lines of " + expected());
        }
        return false;
    }

    [[nodiscard]] const std::string& name() const { return fields_[0]; }
    /// Whether a field is there and is not empty.
    [[nodiscard]] bool has(std::size_t field) const {
        return field < fields_.size() && !fields_[field].empty();
    }
    /// A field that must be a finite number.
    [[nodiscard]] double number(std::size_t field) const {
        return finite(fields_[field], titles_[field],
                      "; whatever the table has, write it with a decimal point, and without "
                      "separators of thousands");
    }
    /// A field of such numbers with blanks between them; none where it is empty or not there.
    [[nodiscard]] std::vector<double> numbers(std::size_t field, std::string_view of_each) const {
        std::vector<double> values;
        std::string_view left = has(field) ? fields_[field] : std::string_view();
        while (!left.empty()) {
            const std::string_view word = left.substr(0, left.find_first_of(" \t"));
            values.push_back(finite(word, of_each, "; put blanks between several"));
            left = without_blanks(left.substr(word.size()));
        }
        return values;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw DataError(lines_.name() + ": line " + std::to_string(lines_.line()) + ": " + what,
                        DataProblem::other, {.line = lines_.line()});
    }

private:
    /// The number that a text spells: the column's `what`. `with_comma` is advice for one that has
    /// commas.
    [[nodiscard]] double finite(std::string_view text, std::string_view what,
                                std::string_view with_comma) const {
        const ParsedNumber parsed = parse_number(text);
        if (parsed.problem || !std::isfinite(parsed.value)) {
            fail("the " + std::string(what) + " of column " + in_quotes(name()) +
                 " is not a finite number" +
                 std::string(text.find(',') != std::string_view::npos ? with_comma : "") +
                 (columns_ == 1 ? "; expected " + expected() + ", or just these words as a header"
                                : ""));
        }
        return parsed.value;
    }

    /// The line's fields without the blanks around them; none where it is blank.
    void split() {
        fields_.clear();
        if (lines_.too_long()) {
            fail("the line is too long");
        }
        if (is_blank(lines_.text(), ',')) {
            return;
        }
        first_line_ = first_line_ == 0 ? lines_.line() : first_line_;
        const SplitEnd end =
            split_fields(lines_.text(), ',', [this](std::string_view text, bool quoted) {
                const std::string field = quoted ? without_doubled_quotes(text) : std::string(text);
                fields_.emplace_back(without_blanks(field));
            });
        if (end != SplitEnd::done) {
            fail("the quotes do not tell where a field ends; expected " + expected());
        }
    }

    [[nodiscard]] bool is_header() const {
        if (fields_.size() < fewest_ || fields_.size() > titles_.size()) {
            return false;
        }
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (in_lower_case(fields_[i]) != titles_[i]) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] std::string expected() const {
        std::string text;
        for (std::size_t i = 0; i < titles_.size(); ++i) {
            text += i >= fewest_ ? "[," : i > 0 ? "," : "";
            text += titles_[i];
        }
        return text + std::string(titles_.size() - fewest_, ']');
    }

    LineReader lines_;
    std::span<const std::string_view> titles_;
    std::size_t fewest_;
    std::vector<std::string> fields_;
    std::set<std::string> names_;
    std::uint64_t first_line_ = 0;  ///< that is not blank
    std::size_t columns_ = 0;
};

constexpr std::array<std::string_view, 5> bounds_titles = {"name", "lower", "upper", "fill",
                                                           "missing"};
constexpr std::array<std::string_view, 2> scale_titles = {"name", "scale"};

}  // namespace

Schema read_schema(const std::string& path) {
    ColumnFile file(path, bounds_titles, 3);
    Schema schema;
    while (file.next()) {
        Column column{.name = file.name(), .bounds = {{file.number(1), file.number(2)}}};
        if (column.name.empty()) {
            file.fail("the column has no name");
        }
        if (file.has(3)) {
            column.fill = file.number(3);
        }
        column.missing = file.numbers(4, "code for missing values");
        if (const std::string_view problem = detail::problem_of(column); !problem.empty()) {
            file.fail("column " + in_quotes(column.name) + ": " + std::string(problem));
        }
        schema.push_back(std::move(column));
    }
    return schema;
}

std::vector<std::pair<std::string, double>> read_column_scales(const std::string& path) {
    ColumnFile file(path, scale_titles, 2);
    std::vector<std::pair<std::string, double>> scales;
    while (file.next()) {
        const double scale = file.number(1);
        if (!(scale > 0.0)) {
            file.fail("the scale of column " + in_quotes(file.name()) + " is not above 0");
        }
        scales.emplace_back(file.name(), scale);
    }
    return scales;
}

}  // namespace dpcov
