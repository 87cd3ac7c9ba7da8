#include "io/column_selection.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "dpcov/error.hpp"
#include "io/in_quotes.hpp"
#include "io/nearest_names.hpp"

namespace dpcov {

namespace {

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
/// 2019 can be asked for.
std::size_t resolve(const std::string& table, const std::string& wanted, std::size_t width,
                    const std::vector<std::string>& names) {
    const auto named = std::find(names.begin(), names.end(), wanted);
    if (named != names.end()) {
        if (std::find(named + 1, names.end(), wanted) != names.end()) {
            throw UsageError(table + ": several columns are named " + in_quotes(wanted) +
                             "; give the index of the one you mean");
        }
        return static_cast<std::size_t>(named - names.begin());
    }
    const std::optional<std::size_t> index = parse_index(wanted);
    if (index && *index < width) {
        return *index;
    }
    if (index) {
        throw UsageError(table + ": there is no column " + in_quotes(wanted) + "; the table has " +
                         std::to_string(width) + " columns, counted from 0 to " +
                         std::to_string(width - 1));
    }
    if (names.empty()) {
        throw UsageError(table + ": there is no column " + in_quotes(wanted) +
                         ", for the table names none; give an index from 0 to " +
                         std::to_string(width - 1));
    }
    const std::string likely = likely_name(wanted, names);
    throw UsageError(table + ": there is no column " + in_quotes(wanted) +
                     (likely.empty() ? "" : "; did you mean " + in_quotes(likely) + "?") +
                     (likely.empty() ? "; there are " : " There are ") +
                     known_columns(wanted, names));
}

void check_scale(double scale, const std::string& what) {
    if (!(std::isfinite(scale) && scale > 0.0)) {
        throw UsageError(what + " must be finite and above zero");
    }
}

}  // namespace

ColumnSelection::ColumnSelection(const std::string& table, std::size_t width,
                                 std::vector<std::string> names, const TableOptions& options)
    : selected_of_(width, not_selected) {
    if (options.columns.empty()) {
        sources_.resize(width);
        std::iota(sources_.begin(), sources_.end(), std::size_t{0});
    }
    for (const std::string& wanted : options.columns) {
        sources_.push_back(resolve(table, wanted, width, names));
    }
    for (std::size_t selected = 0; selected < sources_.size(); ++selected) {
        std::size_t& entry = selected_of_[sources_[selected]];
        if (entry != not_selected) {
            throw UsageError(table + ": column " + in_quotes(options.columns[selected]) +
                             " is selected twice");
        }
        entry = selected;
    }

    check_scale(options.scale, "the scale");
    std::vector<double> divisors(width, options.scale);
    std::vector<bool> scaled(width, false);
    for (const auto& [wanted, scale] : options.column_scales) {
        check_scale(scale, "the scale of column " + in_quotes(wanted));
        const std::size_t source = resolve(table, wanted, width, names);
        if (scaled[source]) {
            throw UsageError(table + ": column " + in_quotes(wanted) + " has two scales");
        }
        scaled[source] = true;
        divisors[source] *= scale;
        check_scale(divisors[source], "the product of the scales of column " + in_quotes(wanted));
    }
    for (const std::size_t source : sources_) {
        divisors_.push_back(divisors[source]);
        if (!names.empty()) {
            names_.push_back(names[source]);
        }
        schema_.push_back({.name = names.empty() ? "" : names[source], .scale = divisors[source]});
    }
    schema_ = without_defaults(std::move(schema_));
}

std::string ColumnSelection::describe(std::size_t selected) const {
    std::string text = "column ";
    text += std::to_string(sources_[selected]);
    if (!names_.empty()) {
        text.append(" ").append(in_quotes(names_[selected]));
    }
    return text + " (counted from 0)";
}

}  // namespace dpcov
