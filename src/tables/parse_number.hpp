// Numbers in text fields, independent of the locale.
#pragma once

#include <optional>
#include <string_view>

#include "dpcov/error.hpp"
#include "tables/decimal.hpp"

namespace dpcov {

/// A field as a number: `value`, or the reason why it is none.
struct ParsedNumber {
    double value = 0.0;  ///< correctly rounded; may be NaN or infinite when there is no problem
    /// missing, unreadable or out_of_range
    std::optional<DataProblem> problem;
};

/// Reads a decimal number, with an optional sign and exponent, between optional spaces and tabs.
/// One that is nearer to zero than any other double is zero. "nan" and "inf" are numbers here: the
/// caller checks for finite values.
[[nodiscard]] ParsedNumber parse_number(std::string_view field) noexcept;

/// The same of a number with a decimal comma in place of the point; one with a point, or of more
/// than 1000 characters, is unreadable.
[[nodiscard]] ParsedNumber parse_number_with_comma(std::string_view field) noexcept;

/// The same as number_in_front(), in any form.
[[nodiscard]] NumberInFront any_number_in_front(std::string_view text) noexcept;

/// Reads the number that begins with the text's first character, without blanks or a plus before
/// it, as far as it goes. What parse_number() makes of those characters alone is the same. None
/// where that is no finite number.
[[nodiscard]] inline NumberInFront number_in_front(std::string_view text) noexcept {
    const NumberInFront number = decimal_in_front(text);
    const bool goes_on =
        number.length < text.size() && (text[number.length] == 'e' || text[number.length] == 'E');
    return number.length == 0 || goes_on ? any_number_in_front(text) : number;
}

/// 1 for "true" and 0 for "false", in letters of any case and between optional spaces and tabs, as
/// programs write columns of truth values.
[[nodiscard]] std::optional<double> truth_value(std::string_view field) noexcept;

/// Whether the field is empty or one of the customary marks of a missing value (NA, null, ?, ...).
[[nodiscard]] bool is_missing(std::string_view field) noexcept;

}  // namespace dpcov
