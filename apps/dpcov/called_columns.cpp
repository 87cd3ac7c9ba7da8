#include "called_columns.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "command_line/suggestions.hpp"
#include "dpcov/error.hpp"
#include "tables/column_selection.hpp"

namespace dpcov {

std::vector<std::string> names_of_columns(const Schema& schema, Eigen::Index columns) {
    std::vector<std::string> names = column_names(schema);
    names.resize(static_cast<std::size_t>(columns));
    for (std::size_t j = 0; j < names.size(); ++j) {
        if (names[j].empty()) {
            names[j] = std::to_string(j);
        }
    }
    return names;
}

Eigen::Index column_called(const std::string& word, const std::vector<std::string>& names,
                           const std::string& option) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) {
        if (std::find(found + 1, names.end(), word) != names.end()) {
            throw UsageError(option + ": several columns are named '" + word +
                             "'; give the index of the one you mean, counted from 0");
        }
        return found - names.begin();
    }
    // Columns that are called by their indices in the table are not counted once more.
    const bool by_index = std::all_of(names.begin(), names.end(), is_place);
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (!by_index && error == std::errc{} && end == word.data() + word.size() &&
        index < names.size()) {
        return static_cast<Eigen::Index>(index);
    }
    constexpr std::size_t most_listed = 20;
    std::string known;
    for (std::size_t j = 0; j < std::min(names.size(), most_listed); ++j) {
        known += (j > 0 ? ", " : "") + names[j];
    }
    throw UsageError(option + ": there is no column '" + word + "', but " + known +
                     (names.size() > most_listed ? ", ..." : "") + did_you_mean(word, names));
}

}  // namespace dpcov
