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

namespace dpcov {

namespace {

/// Levenshtein's edit distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

/// The known columns, those most like `wanted` first.
std::string known_columns(const std::string& wanted, const std::vector<std::string>& names) {
    constexpr std::size_t most_listed = 10;
    constexpr std::size_t longest_compared = 100;
    std::vector<std::pair<std::size_t, std::size_t>> by_distance;
    by_distance.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        by_distance.emplace_back(
            edit_distance(wanted.substr(0, longest_compared), names[i].substr(0, longest_compared)),
            i);
    }
    const std::size_t listed = std::min(most_listed, names.size());
    std::partial_sort(by_distance.begin(),
                      by_distance.begin() + static_cast<std::ptrdiff_t>(listed), by_distance.end());
    std::string text;
    for (std::size_t i = 0; i < listed; ++i) {
        if (i > 0) {
            text += ", ";
        }
        text += in_quotes(names[by_distance[i].second]);
    }
    if (listed < names.size()) {
        text += " and " + std::to_string(names.size() - listed) + " more";
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
    throw UsageError(table + ": there is no column " + in_quotes(wanted) + "; there are " +
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
