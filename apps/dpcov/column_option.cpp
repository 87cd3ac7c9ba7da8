#include "column_option.hpp"

#include <optional>

#include "dpcov/error.hpp"
#include "tables/blanks.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {

std::vector<std::string> split_names(const std::string& text, const std::string& option) {
    std::vector<std::string> names;
    std::size_t start = 0;
    while (true) {
        const std::size_t comma = text.find(',', start);
        names.push_back(text.substr(start, comma - start));
        if (names.back().empty()) {
            throw UsageError(option + ": '" + text +
                             "' has an empty name; give names or 0-based indices as a,b,c");
        }
        if (comma == std::string::npos) {
            return names;
        }
        start = comma + 1;
    }
}

Eigen::Index column_called(const std::string& given, const CalledColumns& columns,
                           const std::string& option) {
    const std::string word(without_blanks(given));
    using Problem = CalledColumn::Problem;
    const CalledColumn called = columns.find(word);
    if (called.problem == Problem::several) {
        throw UsageError(option + ": several columns are named " + in_quotes(word) +
                         "; give the index of the one you mean, counted from 0");
    }
    if (called.problem != Problem::none) {
        throw UsageError(option + ": there is no column " + in_quotes(word) +
                         columns.instead_of(word));
    }
    return static_cast<Eigen::Index>(called.place);
}

void refuse_names_beside_places(const std::vector<std::string>& given, const CalledColumns& columns,
                                const std::string& option) {
    std::optional<std::string> name;
    std::optional<std::string> place;
    for (const std::string& word : given) {
        if (is_place(word)) {
            (columns.find(without_blanks(word)).by_index ? place : name) = word;
        }
    }
    if (name && place) {
        throw UsageError(option + ": either names or places, not both: " + in_quotes(*name) +
                         " is the name of column " +
                         std::to_string(columns.find(without_blanks(*name)).place) +
                         " (counted from 0), " + in_quotes(*place) +
                         " is a place. Call all columns by their names");
    }
}

}  // namespace dpcov
