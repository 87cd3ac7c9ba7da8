#include "tables/column_selection.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "dpcov/error.hpp"
#include "tables/blanks.hpp"
#include "tables/nearest_names.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {

namespace {

// A header that was declared in so many words is public. One that only follows of columns given by
// name may be a person's row, which is not to be told.
constexpr std::string_view not_declared =
    "; the first line was taken for the names of the columns, since they are given by name; if it "
    "has them, declare the header, and they are listed; if it is a row, declare that there is "
    "none, and give columns by their index";

/// The known columns, those most like `wanted` first.
std::string known_columns(const std::string& wanted, const std::vector<std::string>& names) {
    constexpr std::size_t most_listed = 10;
    const std::vector<std::size_t> nearest = nearest_names(wanted, names, most_listed);
    std::string text;
    for (const std::size_t i : nearest) {
        text += (text.empty() ? "" : ", ") + in_quotes(names[i]);
    }
    if (nearest.size() < names.size()) {
        text += " and " + std::to_string(names.size() - nearest.size()) + " more";
    }
    return text;
}

std::optional<std::size_t> parse_index(std::string_view text) {
    std::size_t index = 0;
    const char* const end = text.data() + text.size();
    const std::from_chars_result result = std::from_chars(text.data(), end, index);
    if (text.empty() || result.ptr != end) {
        return std::nullopt;
    }
    // An index beyond every integer is beyond every table.
    return result.ec == std::errc{} ? index : std::numeric_limits<std::size_t>::max();
}

/// The source column that the user calls `wanted`. A name wins over an index, so a column named
/// 2019 can be asked for. Without a `width` any place will do that a table can have.
std::size_t resolve(const std::string& table, const std::string& text,
                    const std::optional<std::size_t>& width, const std::vector<std::string>& names,
                    Header header) {
    const std::size_t most = width.value_or(ColumnSelection::most_columns);
    const std::string wanted(without_blanks(text));
    const auto named = std::find(names.begin(), names.end(), wanted);
    if (named != names.end()) {
        if (std::find(named + 1, names.end(), wanted) != names.end()) {
            throw UsageError(table + ": several columns are named " + in_quotes(wanted) +
                             "; give the index of the one you mean");
        }
        return static_cast<std::size_t>(named - names.begin());
    }
    const std::optional<std::size_t> index = parse_index(wanted);
    if (index && *index < most) {
        return *index;
    }
    const char* declare =
        header == Header::no ? ". If its first line has names, declare the header" : "";
    if (index) {
        throw UsageError(table + ": there is no column " + in_quotes(wanted) +
                         (width ? "; the table has " : "; a table has at most ") +
                         std::to_string(most) + " columns, counted from 0 to " +
                         std::to_string(most - 1) + declare);
    }
    if (names.empty()) {
        throw UsageError(table + ": there is no column " + in_quotes(wanted) +
                         ", for the table names none; give an index from 0 to " +
                         std::to_string(most - 1) + declare);
    }
    const std::string absent = table + ": there is no column " + in_quotes(wanted);
    if (header != Header::yes) {
        throw UndeclaredError(absent + std::string(not_declared), Undeclared::header);
    }
    const std::string likely = likely_name(wanted, names);
    const bool beyond_ascii = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return std::any_of(name.begin(), name.end(),
                           [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    });
    throw UsageError(
        absent +
        (likely.empty() ? "; there are " : "; did you mean " + in_quotes(likely) + "? There are ") +
        known_columns(wanted, names) +
        (beyond_ascii ? ". Names are compared as UTF-8; if the file is not, convert it "
                        "(iconv -f LATIN1), or take columns by their index"
                      : ""));
}

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

bool is_place(std::string_view wanted) {
    const std::string_view text = without_blanks(wanted);
    return text.empty() || parse_index(text).has_value();
}

void ColumnSelection::check_dimension(std::size_t dimension) {
    if (dimension < 1 || dimension > most_columns) {
        throw UsageError("the number of columns must be from 1 to " + std::to_string(most_columns));
    }
}

ColumnSelection::ColumnSelection(const std::string& table, std::optional<std::size_t> width,
                                 std::vector<std::string> names, const TableOptions& options)
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
    select(table, wanted, width, names, options.header);
    if (bounds.empty()) {
        scale(table, names, options);
    } else {
        selected_ = bounds;
        has_bounds_ = std::any_of(bounds.begin(), bounds.end(),
                                  [](const Column& column) { return column.bounds.has_value(); });
    }
    const bool moved = !is_counted_from_zero(sources_);
    for (std::size_t selected = 0; selected < size(); ++selected) {
        const std::size_t source = sources_[selected];
        selected_[selected].name = !names.empty() ? names[source]
                                   : moved        ? std::to_string(source)
                                                  : "";
        divisors_.push_back(selected_[selected].scale);
        has_divisors_ = has_divisors_ || divisors_.back() != 1.0;
    }
    takes_all_in_order_ = width_is_exact_ && size() == this->width() && !moved;
    schema_ = without_defaults(selected_);
}

void ColumnSelection::select(const std::string& table, const std::vector<std::string>& wanted,
                             std::optional<std::size_t> width,
                             const std::vector<std::string>& names, Header header) {
    for (const std::string& column : wanted) {
        sources_.push_back(resolve(table, column, width, names, header));
    }
    if (wanted.empty()) {
        sources_.resize(width.value());
        std::iota(sources_.begin(), sources_.end(), std::size_t{0});
    }
    selected_of_.assign(width ? *width : *std::max_element(sources_.begin(), sources_.end()) + 1,
                        not_selected);
    for (std::size_t selected = 0; selected < size(); ++selected) {
        std::size_t& entry = selected_of_[sources_[selected]];
        if (entry != not_selected) {
            throw UsageError(table + ": column " + in_quotes(wanted[selected]) +
                             " is selected twice");
        }
        entry = selected;
    }
}

void ColumnSelection::scale(const std::string& table, const std::vector<std::string>& names,
                            const TableOptions& options) {
    check_scale(options.scale, "the scale");
    const std::optional<std::size_t> known =
        width_is_exact_ ? std::optional(width()) : std::nullopt;
    std::vector<double> divisors(width(), options.scale);
    std::set<std::size_t> scaled;
    for (const auto& [wanted, scale] : options.column_scales) {
        check_scale(scale, "the scale of column " + in_quotes(wanted));
        const std::size_t source = resolve(table, wanted, known, names, options.header);
        if (!scaled.insert(source).second) {
            throw UsageError(table + ": column " + in_quotes(wanted) + " has two scales");
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
