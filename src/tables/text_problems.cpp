#include "tables/text_problems.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tables/blanks.hpp"
#include "tables/lower_case.hpp"
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

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// What stands outside of quotes.
std::string outside_quotes(std::string_view row) {
    std::string text;
    bool quoted = false;
    for (const char c : row) {
        quoted = (c == '"') != quoted;
        if (!quoted) {
            text += c;
        }
    }
    return text;
}

/// With a space for each no-break or narrow space (U+00A0, U+2009, U+202F), in Latin-1 too, and an
/// apostrophe for each curly one (U+2019).
std::string with_plain_separators(std::string_view field) {
    constexpr std::array<std::pair<std::string_view, char>, 5> plain = {{{"\xc2\xa0", ' '},
                                                                         {"\xe2\x80\x89", ' '},
                                                                         {"\xe2\x80\xaf", ' '},
                                                                         {"\xe2\x80\x99", '\''},
                                                                         {"\xa0", ' '}}};
    std::string text;
    while (!field.empty()) {
        const auto found = std::find_if(plain.begin(), plain.end(), [field](const auto& entry) {
            return field.starts_with(entry.first);
        });
        text += found == plain.end() ? field.front() : found->second;
        field.remove_prefix(found == plain.end() ? 1 : found->first.size());
    }
    return text;
}

/// Whether one and the same separator stands before each three digits; behind them there may be
/// decimals, after another mark.
bool is_grouped(std::string_view text) {
    for (const char separator : {'.', ',', ' ', '\'', '_'}) {
        std::vector<std::string_view> parts = split(text, separator);
        if (parts.size() < 2) {
            continue;
        }
        std::string_view& last = parts.back();
        const std::size_t mark = last.find_first_of(separator == '.' ? "," : ".,");
        const std::string_view decimals =
            mark == std::string_view::npos ? "" : last.substr(mark + 1);
        last = last.substr(0, mark);
        if ((decimals.empty() || all_digits(decimals)) && begins_thousands(parts.front()) &&
            std::all_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
                return part.size() == 3 && all_digits(part);
            })) {
            return true;
        }
    }
    return false;
}

/// Whether it is a word or a mark that tables have for a missing value, besides those that are read
/// as such (is_missing).
bool looks_missing(std::string_view field) {
    constexpr std::array<std::string_view, 33> marks = {"-",
                                                        "--",
                                                        "---",
                                                        "\xe2\x80\x93",
                                                        "\xe2\x80\x94",
                                                        "..",
                                                        "...",
                                                        "\xe2\x80\xa6",
                                                        "/",
                                                        "*",
                                                        "??",
                                                        "#",
                                                        "#n/a",
                                                        "#na",
                                                        "#nv",
                                                        "#null!",
                                                        "#value!",
                                                        "#wert!",
                                                        "#div/0!",
                                                        "<na>",
                                                        "nat",
                                                        "nil",
                                                        "n.a.",
                                                        "n. a.",
                                                        "k.a.",
                                                        "k. a.",
                                                        "k.a",
                                                        "nd",
                                                        "n.d.",
                                                        "missing",
                                                        "unknown",
                                                        "unbekannt",
                                                        "keine angabe"};
    return std::find(marks.begin(), marks.end(), in_lower_case(without_blanks(field))) !=
           marks.end();
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

std::optional<char> other_delimiter(std::string_view row, char delimiter) {
    const std::string text = outside_quotes(without_blanks(row));
    const auto count = [&text](char c) { return std::count(text.begin(), text.end(), c); };
    for (const char other : {';', '\t', '|'}) {
        if (other == delimiter || count(other) == 0) {
            continue;
        }
        const std::vector<std::string_view> parts = split(text, other);
        if (count(delimiter) == 0 ||
            (count(other) > count(delimiter) && text.find(other) < text.find(delimiter)) ||
            std::all_of(parts.begin(), parts.end(), is_number_with_comma)) {
            return other;
        }
    }
    return std::nullopt;
}

DataProblem problem_of_delimiter(char other) {
    return other == ';'    ? DataProblem::semicolons
           : other == '\t' ? DataProblem::tabs
                           : DataProblem::bars;
}

bool is_separator_line(std::string_view line) {
    constexpr std::string_view word = "sep=";
    std::string_view text = without_blanks(line);
    if (text.starts_with('"')) {
        text.remove_prefix(1);
    }
    return in_lower_case(text.substr(0, word.size())) == word &&
           text.find_first_not_of(";,|\t \"", word.size()) == std::string_view::npos;
}

bool has_thousands_separators(std::string_view field) {
    return is_grouped(without_blanks(with_plain_separators(field)));
}

DataProblem problem_of_field(std::string_view field) {
    if (looks_missing(field)) {
        return DataProblem::missing_word;
    }
    constexpr std::string_view digits = "0123456789";
    constexpr std::size_t longest_unit = 8;
    const std::string plain = with_plain_separators(field);
    const std::string_view text = without_blanks(plain);
    std::size_t begin = text.find_first_of(digits);
    if (begin == std::string_view::npos) {
        return DataProblem::unreadable;
    }
    while (begin > 0 && std::string_view("+-.,").find(text[begin - 1]) != std::string_view::npos) {
        --begin;
    }
    const std::size_t end = text.find_last_of(digits) + 1;
    const std::string_view number = text.substr(begin, end - begin);
    if (is_grouped(number)) {
        return DataProblem::thousands;
    }
    const std::string_view before = without_blanks(text.substr(0, begin));
    const std::string_view behind = without_blanks(text.substr(end));
    if (!is_number_with_comma(number) || (before.empty() && behind.empty()) || behind == ".") {
        return DataProblem::unreadable;
    }
    if (before.empty() && behind == "%") {
        return DataProblem::percent;
    }
    // Letters before a number are those of a code, such as Z80.
    const bool code = std::any_of(before.begin(), before.end(), is_letter);
    const bool one_word = behind.size() <= longest_unit && before.size() <= longest_unit &&
                          behind.find_first_of(" \t;|") == std::string_view::npos;
    return one_word && !code ? DataProblem::unit : DataProblem::unreadable;
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
