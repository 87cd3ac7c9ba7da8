#include "tables/column_selection.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"
#include "tables/blanks.hpp"
#include "tables/nearest_names.hpp"
#include "tables/parse_number.hpp"
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

/// Of an indicator: a value that no field can have without being a missing value, is refused. (That
/// is about text in files: in a data frame null alone is missing, and NA a text like others.)
void check_value(const std::string& value, const std::string& column) {
    if (is_missing(value)) {
        throw UsageError(column + ": " + (value.empty() ? "no value" : in_quotes(value)) +
                         " stands behind the '=', which is a missing value; give the column's "
                         "other values, and perhaps a fill");
    }
}

}  // namespace

/// Without an exact width any place will do that a table can have.
ColumnSelection::Source ColumnSelection::resolve(const std::string& text, const Called& whole) {
    const auto& [table, columns, header, width_is_exact, perhaps_delimiter] = whole;
    using Problem = CalledColumn::Problem;
    const std::string wanted(without_blanks(text));
    const CalledColumn called = columns.find_or_indicator(wanted);
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
            if (called.value) {
                check_value(*called.value, table + ": column " + in_quotes(wanted));
            }
            return {called.place, called.value};
        case Problem::several:
            throw UsageError(table + ": several columns " +
                             (called.value ? "have the name in " : "are named ") +
                             in_quotes(wanted) + "; give the index of the one you mean");
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
    throw UsageError(absent + columns.instead_of_indicator(wanted) +
                     (all_utf8 ? ""
                               : ". Names are compared as UTF-8, which not all of these are: "
                                 "convert the file (iconv -f LATIN1 -t UTF-8)"));
}

/// Each as resolve() does. Whole numbers are either all names or all places: "0" may be a value of
/// a row that was taken for a header.
std::vector<ColumnSelection::Source> ColumnSelection::resolve(
    const std::vector<std::string>& wanted, const Called& whole) {
    std::vector<Source> sources;
    std::optional<std::size_t> name;
    std::optional<std::size_t> place;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        sources.push_back(resolve(wanted[i], whole));
        if (is_place(wanted[i])) {
            const bool by_index =
                whole.columns.find_or_indicator(without_blanks(wanted[i])).by_index;
            std::optional<std::size_t>& first = by_index ? place : name;
            first = first.value_or(i);
        }
    }
    if (name && place) {
        throw UsageError(
            whole.table + ": either names or places, not both: " + in_quotes(wanted[*name]) +
            (whole.header == Header::yes
                 ? " is the name of column " + std::to_string(sources[*name].first) +
                       " (counted from 0)"
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
    const CalledColumns called(std::move(names), width.value_or(most_columns));
    const Called whole{table, called, options.header, width_is_exact_, perhaps_delimiter};
    std::vector<Source> sources = resolve(wanted, whole);
    if (wanted.empty()) {
        for (std::size_t source = 0; source < width.value(); ++source) {
            sources.emplace_back(source, std::nullopt);
        }
    }
    select(wanted, sources, whole);
    selected_ = bounds;
    if (bounds.empty()) {
        for (const double divisor : divisors(sources, options, whole)) {
            selected_.push_back({.scale = divisor});
        }
    }
    has_bounds_ = dpcov::has_bounds(bounds);
    name(sources, options, whole);
    for (const Column& column : selected_) {
        divisors_.push_back(column.scale);
        has_divisors_ = has_divisors_ || column.scale != 1.0;
    }
    takes_all_in_order_ = width_is_exact_ && size() == this->width() && indicators_.empty() &&
                          is_counted_from_zero(sources_);
    schema_ = without_defaults(selected_);
}

void ColumnSelection::select(const std::vector<std::string>& wanted,
                             const std::vector<Source>& sources, const Called& called) {
    std::size_t least_width = 0;
    for (const auto& [source, value] : sources) {
        sources_.push_back(source);
        least_width = std::max(least_width, source + 1);
    }
    selected_of_.assign(width_is_exact_ ? called.columns.width() : least_width, not_selected);
    std::map<std::size_t, OfOneSource> with_indicators;
    std::set<Source> indicators;
    for (std::size_t selected = 0; selected < size(); ++selected) {
        const auto& [source, value] = sources[selected];
        if (value ? !indicators.insert(sources[selected]).second
                  : selected_of_[source] != not_selected) {
            throw UsageError(called.table + ": column " + in_quotes(wanted[selected]) +
                             " is selected twice");
        }
        if (value) {
            with_indicators[source].indicators.push_back({selected, *value});
        } else {
            selected_of_[source] = selected;
        }
    }
    for (auto& [source, of_one] : with_indicators) {
        of_one.number = std::exchange(selected_of_[source], size() + indicators_.size());
        indicators_.push_back(std::move(of_one));
    }
}

/// What columns are called in results.
void ColumnSelection::name(const std::vector<Source>& sources, const TableOptions& options,
                           const Called& called) {
    const std::vector<std::string>& names = called.columns.names();
    const bool in_place = indicators_.empty() && is_counted_from_zero(sources_);
    for (std::size_t selected = 0; selected < size(); ++selected) {
        const auto& [source, value] = sources[selected];
        const std::string place = std::to_string(source);
        std::string& name = selected_[selected].name;
        name = !names.empty() ? names[source] : in_place ? "" : place;
        if (value) {
            name = (name.empty() ? place : name) + "=" + *value;
            if (!selected_[selected].missing.empty()) {
                throw UsageError(called.table + ": column " + in_quotes(name) +
                                 " takes no codes for missing values: a code is a value like "
                                 "others, for which the column is 0, or which has an indicator of "
                                 "its own");
            }
        }
        if (!detail::is_utf8(name)) {
            // Under BadRows::zero no message tells what is in a line that may be a row.
            const bool told = options.header == Header::yes || options.bad_rows == BadRows::error;
            throw DataError(called.table + ": the name of column " + place +
                            (told ? ", " + in_quotes(name) + "," : "") +
                            " is no UTF-8 text; convert the file by iconv -f LATIN1 -t UTF-8 (or "
                            "from what it is in)");
        }
    }
}

std::vector<double> ColumnSelection::divisors(const std::vector<Source>& sources,
                                              const TableOptions& options,
                                              const Called& called) const {
    check_scale(options.scale, "the scale");
    std::vector<std::string> names;
    for (const auto& [wanted, scale] : options.column_scales) {
        check_scale(scale, "the scale of column " + in_quotes(wanted));
        names.push_back(wanted);
    }
    const std::vector<Source> scaled = resolve(names, called);
    std::map<Source, double> products;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
        const auto& [wanted, scale] = options.column_scales[i];
        const double product = options.scale * scale;
        if (!products.emplace(scaled[i], product).second) {
            throw UsageError(called.table + ": column " + in_quotes(wanted) + " has two scales");
        }
        if (scaled[i].first < width()) {
            check_scale(product, "the product of the scales of column " + in_quotes(wanted));
        }
    }
    std::vector<double> divisors;
    for (const Source& source : sources) {
        const auto product = products.find(source);
        divisors.push_back(product != products.end() ? product->second : options.scale);
    }
    return divisors;
}

}  // namespace dpcov
