// Whether delta is small beside a table's rows.
#pragma once

#include <cstdint>
#include <variant>

#include "dpcov/budget.hpp"

namespace dpcov::detail {

/// No delta, or one below 1/n. A method that publishes one of n rows whole, taken at random, meets
/// (0, 1/n)-DP.
[[nodiscard]] inline bool is_small_delta(const Definition& definition, std::uint64_t rows) {
    const auto* approximate = std::get_if<ApproximateDp>(&definition);
    return approximate == nullptr || approximate->delta.value() * static_cast<double>(rows) < 1.0;
}

}  // namespace dpcov::detail
