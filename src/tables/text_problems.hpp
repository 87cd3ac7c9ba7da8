// What may be wrong with a row of text that cannot be read, so that a message can say it. Guesses
// from the row: for messages that come before any release, and for nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "dpcov/error.hpp"

namespace dpcov {

/// The character that looks more like the delimiter than `delimiter` does: a semicolon, a tab or a
/// vertical bar, in a row of one field, of numbers between such characters, perhaps with decimal
/// commas, or with more of them and the first of all. What stands between quotes does not count.
[[nodiscard]] std::optional<char> other_delimiter(std::string_view row, char delimiter);

/// What to call a row that has such a character.
[[nodiscard]] DataProblem problem_of_delimiter(char other);

/// Whether the line is what Excel takes for a declaration of the delimiter: sep=;
[[nodiscard]] bool is_separator_line(std::string_view line);

/// Whether the field is a number with separators between its thousands: points, commas, spaces
/// (also no-break ones), apostrophes or underscores.
[[nodiscard]] bool has_thousands_separators(std::string_view field);

/// A closer word for a field that is no number: thousands, percent, unit, missing_word; or
/// unreadable.
[[nodiscard]] DataProblem problem_of_field(std::string_view field);

/// Whether such commas explain why the row has so many fields in place of `width`.
[[nodiscard]] bool thousands_explain(std::string_view row, char delimiter, std::size_t fields,
                                     std::size_t width);

}  // namespace dpcov
