// Why a value of a table cannot be used: the one place that says it.
#pragma once

#include <cmath>
#include <optional>

#include "dpcov/error.hpp"
#include "dpcov/schema.hpp"

namespace dpcov::detail {

/// Whether a value is NaN or one of the column's codes; quickly where there are none.
[[nodiscard]] inline bool stands_for_missing(const Column& column, double value) noexcept {
    if (column.missing.empty()) {
        return std::isnan(value);
    }
    bool missing = std::isnan(value);
    for (const double code : column.missing) {
        missing |= value == code;
    }
    return missing;
}

/// Of a value that the column cannot map: it is missing and has no fill (not_a_number, or missing
/// where it is a code), or infinite and has no bounds (infinite). `missing` is
/// stands_for_missing().
[[nodiscard]] inline std::optional<DataProblem> value_problem(const Column& column, double value,
                                                              bool missing) noexcept {
    if (missing) {
        return column.bounds && column.fill ? std::nullopt
               : std::isnan(value)          ? std::optional(DataProblem::not_a_number)
                                            : std::optional(DataProblem::missing);
    }
    return column.bounds || !std::isinf(value) ? std::nullopt
                                               : std::optional(DataProblem::infinite);
}

[[nodiscard]] inline std::optional<DataProblem> value_problem(const Column& column,
                                                              double value) noexcept {
    return value_problem(column, value, stands_for_missing(column, value));
}

}  // namespace dpcov::detail
