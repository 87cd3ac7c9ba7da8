// Symmetric matrices as their upper triangle.
#pragma once

#include <cstddef>

#include "arithmetic/huge_pages.hpp"
#include "arithmetic/wide_integer.hpp"

namespace dpcov::detail {

/// Where entry (i, j), i <= j, of a symmetric matrix stands in its upper triangle by columns.
[[nodiscard]] constexpr std::size_t packed_index(std::size_t i, std::size_t j) noexcept {
    return j * (j + 1) / 2 + i;
}

/// The entries of the upper triangle of a symmetric d x d matrix.
[[nodiscard]] constexpr std::size_t packed_size(std::size_t d) noexcept {
    return d * (d + 1) / 2;
}

/// Exact sums, entry by entry.
using ExactSums = HugePageVector<Int128>;

/// A symmetric d x d integer matrix: entry (i, j), i <= j, stands at packed_index(i, j).
using PackedGram = ExactSums;

}  // namespace dpcov::detail
