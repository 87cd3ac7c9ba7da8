// Symmetric matrices in one triangle of a square, so that two of them share its memory.
#pragma once

#include <cstddef>

namespace dpcov::detail {

enum class Half { upper, lower };

/// A symmetric d x d matrix by columns, each `stride` numbers behind the one before. Entry (i, j),
/// at data[i + j * stride], is there for i <= j in the upper half, for i >= j in the lower one.
/// What else is there is not the matrix's.
struct Triangle {
    double* data = nullptr;
    std::size_t stride = 0;
    Half half = Half::upper;
};

/// The numbers in two triangles with their diagonals.
[[nodiscard]] constexpr std::size_t two_triangles(std::size_t d) noexcept {
    return d * (d + 1);
}

/// One of the two in that memory: d + 1 rows, of which column j of the upper half has the first
/// j + 1, and that of the lower half the rest.
[[nodiscard]] inline Triangle triangle_in(double* memory, std::size_t d, Half half) noexcept {
    return {.data = memory + (half == Half::lower ? 1 : 0), .stride = d + 1, .half = half};
}

}  // namespace dpcov::detail
