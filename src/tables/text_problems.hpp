// What may be wrong with a row of text that cannot be read, so that a message can say it. Guesses
// from the row: for messages that come before any release, and for nothing else.
#pragma once

#include <cstddef>
#include <string_view>

namespace dpcov {

/// Whether the row looks like numbers between semicolons, perhaps with decimal commas, or is one
/// field with semicolons in it.
[[nodiscard]] bool looks_semicolon_separated(std::string_view row, char delimiter);

/// Whether the field is a number with commas between its thousands: 1,234.5.
[[nodiscard]] bool has_thousands_commas(std::string_view field);

/// Whether such commas explain why the row has so many fields in place of `width`.
[[nodiscard]] bool thousands_explain(std::string_view row, char delimiter, std::size_t fields,
                                     std::size_t width);

}  // namespace dpcov
