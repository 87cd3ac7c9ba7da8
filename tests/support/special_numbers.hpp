// The doubles that no argument may be.
#pragma once

#include <limits>

namespace dpcov::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace dpcov::test
