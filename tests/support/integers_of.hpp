// Sums in two words as integers of 128 bits.
#pragma once

#include <cstddef>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/wide_sums.hpp"

namespace dpcov::test {

[[nodiscard]] inline detail::ExactSums integers_of(const detail::WideSums& sums) {
    detail::ExactSums integers(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        integers[i] = sums[i];
    }
    return integers;
}

}  // namespace dpcov::test
