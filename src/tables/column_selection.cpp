#include "tables/column_selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"
#include "tables/blanks.hpp"
#include "text/in_quotes.hpp"
#include "text/utf8.hpp"

namespace dpcov {

namespace {

// A header that was declared in so many words is public. One that only follows of columns given by
// name may be a person's row, which is not to be told.
constexpr std::string_view not_declared =
    "; the first line was taken for the names of the columns, since they are given by name; if it "
    "has them, declare the header, and they are listed; if it is a row, declare that there is "
    "none, and give columns by their index";

// 0, 1, 2, and so on.
bool is_counted_from_zero(const std::vector<std::size_t>& places) {
    std::size_t next = 0;
    return std::all_of(places.begin(), places.end(),
                       [&next](std::size_t place) { return place == next++; });
}

void check_scale(double scale, const std::string& what) {
    if (!(std::isfinite(scale) && scale > 0.0)) {
        throw UsageError(what + " must be finite and above zero");
    }
}

}  // namespace

/// Without an exact width any place will do that a table can have.
std::size_t ColumnSelection::resolve(const std::string& text, const Called& whole) {
    const auto& [table, columns, header, width_is_exact, perhaps_delimiter] = whole;
    using Problem = CalledColumn::Problem;
    const std::string wanted(without_blanks(text));
    const CalledColumn called = columns.find(wanted);
    const std::string absent = table + ": there is no column " + in_quotes(wanted);
    const std::string most = std::to_string(columns.width());
    const std::string last = std::to_string(columns.width() - 1);
    const char* declare =
        header == Header::no ? ". If its first line has names, declare the header" : "";
    const bool absent_at_all =
        called.problem != Problem::none && called.problem != Problem::several;
    if (absent_at_all && perhaps_delimiter) {
        throw UndeclaredError(
            absent + "; perhaps the delimiter is " +
                (*perhaps_delimiter == '\t' ? "a tab"
                                            : in_quotes(std::string(1, *perhaps_delimiter))),
            Undeclared::delimiter);
    }
    switch (called.problem) {
        case Problem::none:
            return called.place;
        case Problem::several:
            throw UsageError(table + ": several columns are named " + in_quotes(wanted) +
                             "; give the index of the one you mean");
        case Problem::beyond:
            throw UsageError(absent +
                             (width_is_exact ? "; the table has " : "; a table has at most ") +
                             most + " columns, counted from 0 to " + last + declare);
        case Problem::nameless:
            throw UsageError(absent + ", for the table names none; give an index from 0 to " +
                             last + declare);
        case Problem::unknown:
            break;
    }
    if (header != Header::yes) {
        throw UndeclaredError(absent + std::string(not_declared), Undeclared::header);
    }
    const std::vector<std::string>& names = columns.names();
    const bool all_utf8 =
        detail::is_utf8(wanted) && std::all_of(names.begin(), names.end(), detail::is_utf8);
    throw UsageError(absent + columns.instead_of(wanted) +
                     (all_utf8 ? ""
                               : ". Names are compared as UTF-8, which not all of these are: "
                                 "convert the file (iconv -f LATIN1 -t UTF-8)"));
}

/// Each as resolve() does. Whole numbers are either all names or all places: "0" may be a value of
/// a row that was taken for a header.
std::vector<std::size_t> ColumnSelection::resolve(const std::vector<std::string>& wanted,
                                                  const Called& whole) {
    std::vector<std::size_t> sources;
    std::optional<std::size_t> name;
    std::optional<std::size_t> place;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        sources.push_back(resolve(wanted[i], whole));
        if (is_place(wanted[i])) {
            const bool by_index = whole.columns.find(without_blanks(wanted[i])).by_index;
            std::optional<std::size_t>& first = by_index ? place : name;
            first = first.value_or(i);
        }
    }
    if (name && place) {
        throw UsageError(
            whole.table + ": either names or places, not both: " + in_quotes(wanted[*name]) +
            (whole.header == Header::yes
                 ? " is the name of column " + std::to_string(sources[*name]) + " (counted from 0)"
                 : " is a name in the first line") +
            ", " + in_quotes(wanted[*place]) +
            " is a place. If the first line has names, call all columns by them; if it is a row, "
            "declare that there is no header");
    }
    return sources;
}

void ColumnSelection::check_dimension(std::size_t dimension) {
    if (dimension < 1 || dimension > most_columns) {
        throw UsageError("the number of columns must be from 1 to " + std::to_string(most_columns));
    }
}

ColumnSelection::ColumnSelection(const std::string& table, std::optional<std::size_t> width,
                                 std::vector<std::string> names, const TableOptions& options,
                                 std::optional<char> perhaps_delimiter)
    : width_is_exact_(width.has_value()) {
    const Schema& bounds = options.bounds;
    if (!bounds.empty() &&
        (!options.columns.empty() || options.scale != 1.0 || !options.column_scales.empty())) {
        throw UsageError(
            "bounds say which columns to take and how to scale them; give neither columns nor "
            "scales besides");
    }
    check_schema(bounds);
    std::vector<std::string> wanted = options.columns;
    for (std::size_t j = 0; j < bounds.size(); ++j) {
        const std::string_view name = without_blanks(bounds[j].name);
        wanted.push_back(name.empty() ? std::to_string(j) : std::string(name));
    }
    if (wanted.empty()) {
        sources_.resize(width.value());
        std::iota(sources_.begin(), sources_.end(), std::size_t{0});
    }
    const CalledColumns called(std::move(names), width.value_or(most_columns));
    const Called whole{table, called, options.header, width_is_exact_, perhaps_delimiter};
    select(wanted, whole);
    if (bounds.empty()) {
        scale(options, whole);
    } else {
        selected_ = bounds;
        has_bounds_ = dpcov::has_bounds(bounds);
    }
    const bool moved = !is_counted_from_zero(sources_);
    for (std::size_t selected = 0; selected < size(); ++selected) {
        const std::size_t source = sources_[selected];
        selected_[selected].name = !called.names().empty() ? called.names()[source]
                                   : moved                 ? std::to_string(source)
                                                           : "";
        if (!detail::is_utf8(selected_[selected].name)) {
            // Under BadRows::zero no message tells what is in a line that may be a row.
            const bool told = options.header == Header::yes || options.bad_rows == BadRows::error;
            throw DataError(table + ": the name of column " + std::to_string(source) +
                            (told ? ", " + in_quotes(selected_[selected].name) + "," : "") +
                            " is no UTF-8 text; convert the file by iconv -f LATIN1 -t UTF-8 (or "
                            "from what it is in)");
        }
        divisors_.push_back(selected_[selected].scale);
        has_divisors_ = has_divisors_ || divisors_.back() != 1.0;
    }
    takes_all_in_order_ = width_is_exact_ && size() == this->width() && !moved;
    schema_ = without_defaults(selected_);
}

void ColumnSelection::select(const std::vector<std::string>& wanted, const Called& called) {
    if (!wanted.empty()) {
        sources_ = resolve(wanted, called);
    }
    selected_of_.assign(width_is_exact_ ? called.columns.width()
                                        : *std::max_element(sources_.begin(), sources_.end()) + 1,
                        not_selected);
    for (std::size_t selected = 0; selected < size(); ++selected) {
        std::size_t& entry = selected_of_[sources_[selected]];
        if (entry != not_selected) {
            throw UsageError(called.table + ": column " + in_quotes(wanted[selected]) +
                             " is selected twice");
        }
        entry = selected;
    }
}

void ColumnSelection::scale(const TableOptions& options, const Called& called) {
    check_scale(options.scale, "the scale");
    std::vector<double> divisors(width(), options.scale);
    std::vector<std::string> names;
    for (const auto& [wanted, scale] : options.column_scales) {
        check_scale(scale, "the scale of column " + in_quotes(wanted));
        names.push_back(wanted);
    }
    const std::vector<std::size_t> sources = resolve(names, called);
    std::set<std::size_t> scaled;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto& [wanted, scale] = options.column_scales[i];
        const std::size_t source = sources[i];
        if (!scaled.insert(source).second) {
            throw UsageError(called.table + ": column " + in_quotes(wanted) + " has two scales");
        }
        if (source < width()) {
            divisors[source] *= scale;
            check_scale(divisors[source],
                        "the product of the scales of column " + in_quotes(wanted));
        }
    }
    for (const std::size_t source : sources_) {
        selected_.push_back({.scale = divisors[source]});
    }
}

}  // namespace dpcov
