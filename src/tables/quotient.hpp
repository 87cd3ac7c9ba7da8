// The division by a public scale.
#pragma once

#include <algorithm>
#include <limits>

namespace dpcov::detail {

/// A finite value over a scale above 0; at most the greatest double, so that a row that is too long
/// is clipped, and not bad.
[[nodiscard]] inline double quotient(double value, double scale) noexcept {
    constexpr double greatest = std::numeric_limits<double>::max();
    return std::clamp(value / scale, -greatest, greatest);
}

}  // namespace dpcov::detail
