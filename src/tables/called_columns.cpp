#include "tables/called_columns.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "tables/blanks.hpp"
#include "tables/nearest_names.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {

namespace {

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

// Whether a list of names would have `word` for a part of that name.
bool is_between_commas(std::string_view word, std::string_view name) {
    std::size_t begin = 0;
    for (std::size_t end = name.find(','); end != std::string_view::npos;
         end = name.find(',', begin)) {
        if (without_blanks(name.substr(begin, end - begin)) == word) {
            return true;
        }
        begin = end + 1;
    }
    return begin > 0 && without_blanks(name.substr(begin)) == word;
}

}  // namespace

bool is_place(std::string_view wanted) {
    const std::string_view text = without_blanks(wanted);
    return text.empty() || parse_index(without_blanks(text.substr(0, text.find('=')))).has_value();
}

bool is_called_indicator(const Column& column) {
    return column.bounds && column.bounds->lower == 0.0 && column.bounds->upper == 1.0 &&
           column.name.find('=') != std::string::npos;
}

std::vector<std::string> names_or_places(const Schema& schema, std::size_t columns) {
    std::vector<std::string> names = column_names(schema);
    names.resize(columns);
    for (std::size_t j = 0; j < names.size(); ++j) {
        if (names[j].empty()) {
            names[j] = std::to_string(j);
        }
    }
    return names;
}

CalledColumns::CalledColumns(std::vector<std::string> names, std::size_t width)
    : names_(std::move(names)), by_name_(names_.size()), width_(width) {
    std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
    std::sort(by_name_.begin(), by_name_.end(),
              [this](std::size_t a, std::size_t b) { return names_[a] < names_[b]; });
}

CalledColumns CalledColumns::released(const Schema& schema, std::size_t columns) {
    CalledColumns called(names_or_places(schema, columns), columns);
    called.counted_ = !std::all_of(called.names_.begin(), called.names_.end(), is_place);
    return called;
}

CalledColumn CalledColumns::find(std::string_view wanted, bool may_be_index) const {
    using Problem = CalledColumn::Problem;
    const auto first = std::lower_bound(by_name_.begin(), by_name_.end(), wanted,
                                        [this](std::size_t place, std::string_view name) {
                                            return std::string_view(names_[place]) < name;
                                        });
    const auto named = [&](auto entry) {
        return entry != by_name_.end() && names_[*entry] == wanted;
    };
    if (named(first)) {
        return named(first + 1) ? CalledColumn{Problem::several}
                                : CalledColumn{Problem::none, *first};
    }
    const std::optional<std::size_t> index =
        may_be_index && counted_ ? parse_index(wanted) : std::nullopt;
    if (index) {
        return *index < width_ ? CalledColumn{Problem::none, *index, true}
                               : CalledColumn{Problem::beyond};
    }
    return {names_.empty() ? Problem::nameless : Problem::unknown};
}

CalledColumn CalledColumns::find_or_indicator(std::string_view wanted, bool may_be_index) const {
    using Problem = CalledColumn::Problem;
    const auto is_column = [](const CalledColumn& called) {
        return called.problem == Problem::none || called.problem == Problem::several;
    };
    CalledColumn whole = find(wanted, may_be_index);
    std::string_view before = is_column(whole) ? std::string_view() : wanted;
    for (std::size_t equals = before.rfind('='); equals != std::string_view::npos;
         equals = before.rfind('=')) {
        before = before.substr(0, equals);
        const std::string_view name = without_blanks(before);
        CalledColumn called = find(name, may_be_index);
        if (!name.empty() && (is_column(called) || called.problem == Problem::beyond)) {
            const std::string_view value = without_blanks(wanted.substr(equals + 1));
            CalledColumn tidy = find(std::string(name) + "=" + std::string(value));
            if (is_column(tidy)) {
                return tidy;
            }
            called.value = value;
            return called;
        }
    }
    return whole;
}

std::string CalledColumns::instead_of(const std::string& wanted) const {
    constexpr std::size_t most_listed = 10;
    const std::vector<std::size_t> nearest = nearest_names(wanted, names_, most_listed);
    const std::string likely = likely_name(wanted, names_);
    std::string text =
        likely.empty() ? "; there are " : "; did you mean " + in_quotes(likely) + "? There are ";
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        text += (i > 0 ? ", " : "") + in_quotes(names_[nearest[i]]);
    }
    if (nearest.size() < names_.size()) {
        text += " and " + std::to_string(names_.size() - nearest.size()) + " more";
    }
    if (const auto cut =
            std::find_if(names_.begin(), names_.end(),
                         [&](const std::string& name) { return is_between_commas(wanted, name); });
        cut != names_.end()) {
        text += ". A comma divides a list: call " + in_quotes(*cut) + " by its index, " +
                std::to_string(cut - names_.begin());
    }
    return text;
}

std::string CalledColumns::instead_of_indicator(const std::string& wanted) const {
    const std::size_t equals = wanted.find('=');
    const std::string name(without_blanks(std::string_view(wanted).substr(0, equals)));
    if (equals == std::string::npos || name.empty() || !likely_name(wanted, names_).empty()) {
        return instead_of(wanted);
    }
    return ", and none " + in_quotes(name) + " that may have such a value" + instead_of(name);
}

}  // namespace dpcov
