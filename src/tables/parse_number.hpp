// Numbers in text fields, independent of the locale.
#pragma once

#include <optional>
#include <string_view>

#include "dpcov/error.hpp"

namespace dpcov {

/// A field as a number: `value`, or the reason why it is none.
struct ParsedNumber {
    double value = 0.0;  ///< correctly rounded; may be NaN or infinite when there is no problem
    /// missing, unreadable or out_of_range
    std::optional<DataProblem> problem;
};

/// Reads a decimal number, with an optional sign and exponent, between optional spaces and tabs.
/// "nan" and "inf" are numbers here: the caller checks for finite values.
[[nodiscard]] ParsedNumber parse_number(std::string_view field) noexcept;

/// Whether the field is empty or one of the customary marks of a missing value (NA, null, ?, ...).
[[nodiscard]] bool is_missing(std::string_view field) noexcept;

}  // namespace dpcov
