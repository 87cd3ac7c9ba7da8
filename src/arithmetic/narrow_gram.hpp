// The Gram matrix of integer rows of few columns, in doubles.
//
// BLAS first puts rows into an order of its own, and multiplies whole squares along the diagonal.
// With few columns that takes longer than the products do.
#pragma once

#include <cstddef>
#include <span>

#include "arithmetic/triangle.hpp"

namespace dpcov::detail {

/// Adds to `gram`, or writes in its place unless `keep`, `sign` (1 or -1) times the Gram of rows of
/// `d` columns, row-major, on up to `threads` threads. Exact where all sums of products of them are
/// integers of at most 2^53 (docs/privacy.md#exact-gram).
using NarrowGram = void(std::span<const double> rows, std::size_t d, double sign, bool keep,
                        const Triangle& gram, unsigned threads) noexcept;

/// With more columns BLAS is about as fast.
inline constexpr std::size_t narrow_columns = 256;

/// By AVX-512; nullptr where the processor has it not.
[[nodiscard]] NarrowGram* usable_narrow_gram() noexcept;

}  // namespace dpcov::detail
