// Why a value of a table cannot be used: the one place that says it.
#pragma once

#include <cmath>
#include <optional>

#include "dpcov/error.hpp"
#include "dpcov/schema.hpp"

namespace dpcov::detail {

/// Of a value that the column cannot map: it is missing and has no fill (not_a_number), or infinite
/// and has no bounds (infinite).
[[nodiscard]] inline std::optional<DataProblem> value_problem(const Column& column,
                                                              double value) noexcept {
    if (std::isnan(value)) {
        return column.bounds && column.fill ? std::nullopt
                                            : std::optional(DataProblem::not_a_number);
    }
    return column.bounds || !std::isinf(value) ? std::nullopt
                                               : std::optional(DataProblem::infinite);
}

}  // namespace dpcov::detail
