#include "tables/text_problems.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tables/blanks.hpp"
#include "tables/parse_number.hpp"

namespace dpcov {

namespace {

std::vector<std::string_view> split(std::string_view text, char delimiter) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(delimiter);
        parts.push_back(without_blanks(text.substr(0, end)));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

bool all_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// One to three digits, perhaps with a sign.
bool begins_thousands(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    return text.size() <= 3 && all_digits(text);
}

/// Three digits, perhaps with decimals.
bool follows_thousands(std::string_view text) {
    const std::string_view digits = text.substr(0, text.find('.'));
    return digits.size() == 3 && all_digits(digits) &&
           (digits.size() == text.size() || digits.size() + 1 == text.size() ||
            all_digits(text.substr(digits.size() + 1)));
}

bool is_number_with_comma(std::string_view text) {
    std::string number(text);
    const std::size_t comma = number.find(',');
    if (comma != std::string::npos) {
        number[comma] = '.';
    }
    const std::optional<DataProblem> problem = parse_number(number).problem;
    return !problem || *problem == DataProblem::missing;
}

}  // namespace

bool looks_semicolon_separated(std::string_view row, char delimiter) {
    if (delimiter == ';' || row.find(';') == std::string_view::npos) {
        return false;
    }
    const std::vector<std::string_view> parts = split(row, ';');
    return row.find(delimiter) == std::string_view::npos ||
           std::all_of(parts.begin(), parts.end(), is_number_with_comma);
}

bool has_thousands_commas(std::string_view field) {
    const std::vector<std::string_view> parts = split(field, ',');
    return parts.size() > 1 && begins_thousands(parts.front()) &&
           std::all_of(parts.begin() + 1, parts.end(), follows_thousands);
}

bool thousands_explain(std::string_view row, char delimiter, std::size_t fields,
                       std::size_t width) {
    if (delimiter != ',' || fields <= width) {
        return false;
    }
    const std::vector<std::string_view> parts = split(row, ',');
    std::size_t joints = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const bool joined = (begins_thousands(parts[i - 1]) || follows_thousands(parts[i - 1])) &&
                            follows_thousands(parts[i]);
        joints += joined ? 1 : 0;
    }
    return fields - width <= joints;
}

}  // namespace dpcov
