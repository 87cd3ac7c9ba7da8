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

namespace dpcov {

namespace {

// A header that was declared in so many words is public. One that only follows of columns given by
// name may be a person's row, which is not to be told.
constexpr std::string_view not_declared =
    "; the first line was taken for the names of the columns, since they are given by name; if it "
    "has them, declare the header, and they are listed; if it is a row, declare that there is "
    "none, and give columns by their index";

/// The source column that the user calls `text`. Without an exact width any place will do that a
/// table can have.
std::size_t resolve(const std::string& table, const std::string& text, const CalledColumns& columns,
                    bool width_is_exact, Header header) {
    using Problem = CalledColumn::Problem;
    const std::string wanted(without_blanks(text));
    const CalledColumn called = columns.find(wanted);
    const std::string absent = table + ": there is no column " + in_quotes(wanted);
    const std::string most = std::to_string(columns.width());
    const std::string last = std::to_string(columns.width() - 1);
    const char* declare =
        header == Header::no ? ". If its first line has names, declare the header" : "";
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
    const bool beyond_ascii = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return std::any_of(name.begin(), name.end(),
                           [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    });
    throw UsageError(absent + columns.instead_of(wanted) +
                     (beyond_ascii
                          ? ". Names are compared as UTF-8; if the file is not, convert it "
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
    if (wanted.empty()) {
        sources_.resize(width.value());
        std::iota(sources_.begin(), sources_.end(), std::size_t{0});
    }
    const CalledColumns called(std::move(names), width.value_or(most_columns));
    select(table, wanted, called, options.header);
    if (bounds.empty()) {
        scale(table, called, options);
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
        divisors_.push_back(selected_[selected].scale);
        has_divisors_ = has_divisors_ || divisors_.back() != 1.0;
    }
    takes_all_in_order_ = width_is_exact_ && size() == this->width() && !moved;
    schema_ = without_defaults(selected_);
}

void ColumnSelection::select(const std::string& table, const std::vector<std::string>& wanted,
                             const CalledColumns& columns, Header header) {
    for (const std::string& column : wanted) {
        sources_.push_back(resolve(table, column, columns, width_is_exact_, header));
    }
    selected_of_.assign(
        width_is_exact_ ? columns.width() : *std::max_element(sources_.begin(), sources_.end()) + 1,
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

void ColumnSelection::scale(const std::string& table, const CalledColumns& columns,
                            const TableOptions& options) {
    check_scale(options.scale, "the scale");
    std::vector<double> divisors(width(), options.scale);
    std::set<std::size_t> scaled;
    for (const auto& [wanted, scale] : options.column_scales) {
        check_scale(scale, "the scale of column " + in_quotes(wanted));
        const std::size_t source = resolve(table, wanted, columns, width_is_exact_, options.header);
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
