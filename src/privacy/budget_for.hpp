// From what a release is asked to satisfy to what a mechanism spends.
#pragma once

#include <variant>

#include "dpcov/budget.hpp"

namespace dpcov::detail {

/// The budget that meets the definition: (epsilon, delta)-DP through the largest rho that implies
/// it by that curve.
[[nodiscard]] inline Budget budget_for(const Definition& definition, Curve curve) {
    if (const auto* approximate = std::get_if<ApproximateDp>(&definition)) {
        return rho_for(*approximate, curve);
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&definition)) {
        return *epsilon;
    }
    return std::get<Rho>(definition);
}

}  // namespace dpcov::detail
