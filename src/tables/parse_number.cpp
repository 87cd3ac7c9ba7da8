#include "tables/parse_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "tables/blanks.hpp"
#include "tables/lower_case.hpp"

namespace dpcov {

namespace {

// Whether it is that word of small letters, whatever its case.
bool is_word(std::string_view text, std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char a, char b) { return in_lower_case(a) == b; });
}

// Of the text of a number that no double is near: whether it is too small, and not too large. The
// place of its first digit that is not zero says so, and the exponent.
bool is_tiny(std::string_view text) {
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    const std::string_view digits = text.substr(0, e);
    const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
    const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
    std::string_view exponent = text.substr(std::min(e + 1, text.size()));
    const bool negative = exponent.starts_with('-');
    if (exponent.starts_with('+')) {
        exponent.remove_prefix(1);
    }
    std::int64_t power = 0;
    if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec ==
        std::errc::result_out_of_range) {
        return negative;
    }
    return power < first - point;
}

}  // namespace

bool is_missing(std::string_view field) noexcept {
    constexpr std::array<std::string_view, 7> marks = {"na",   "n/a", "nan", "null",
                                                       "none", "?",   "."};
    const std::string_view text = without_blanks(field);
    return text.empty() || std::any_of(marks.begin(), marks.end(), [text](std::string_view mark) {
               return is_word(text, mark);
           });
}

std::optional<double> truth_value(std::string_view field) noexcept {
    const std::string_view text = without_blanks(field);
    if (is_word(text, "true")) {
        return 1.0;
    }
    return is_word(text, "false") ? std::optional(0.0) : std::nullopt;
}

ParsedNumber parse_number(std::string_view field) noexcept {
    std::string_view text = without_blanks(field);
    // std::from_chars knows no leading plus.
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
        text.remove_prefix(1);
    }
    ParsedNumber number;
    const char* const end = text.data() + text.size();
    const std::from_chars_result result = std::from_chars(text.data(), end, number.value);
    if (!text.empty() && result.ec == std::errc::result_out_of_range && result.ptr == end) {
        if (is_tiny(text)) {
            number.value = text.front() == '-' ? -0.0 : 0.0;
        } else {
            number.problem = DataProblem::out_of_range;
        }
    } else if (text.empty() || result.ec != std::errc{} || result.ptr != end) {
        number.problem = is_missing(field) ? DataProblem::missing : DataProblem::unreadable;
    }
    return number;
}

ParsedNumber parse_number_with_comma(std::string_view field) noexcept {
    std::array<char, 1000> with_point;  // NOLINT(*-member-init): written before it is read
    if (field.size() > with_point.size() || field.find('.') != std::string_view::npos) {
        return {.problem = is_missing(field) ? DataProblem::missing : DataProblem::unreadable};
    }
    const auto end = std::replace_copy(field.begin(), field.end(), with_point.begin(), ',', '.');
    return parse_number({with_point.begin(), end});
}

NumberInFront any_number_in_front(std::string_view text) noexcept {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) {
        return {};
    }
    return {.value = value, .length = static_cast<std::size_t>(end - text.data())};
}

}  // namespace dpcov
