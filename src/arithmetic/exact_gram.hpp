// The Gram matrix of integer rows, exactly, at the speed of BLAS.
#pragma once

#include <cstddef>
#include <span>

#include "arithmetic/gram_product.hpp"
#include "arithmetic/huge_pages.hpp"
#include "arithmetic/row_grid.hpp"
#include "arithmetic/triangle.hpp"
#include "arithmetic/wide_sums.hpp"

namespace dpcov::detail {

/// The most rows whose Gram is exact in doubles: with |q|^2 <= 2^(2 radius_bits) every partial sum
/// of products is at most rows * 2^(2 radius_bits) <= 2^53 in magnitude, whatever the order, fused
/// multiply-adds or threads of the BLAS underneath (docs/privacy.md#exact-gram).
inline constexpr std::size_t exact_gram_rows = std::size_t{1} << (53 - 2 * radius_bits);

/// A sum of Grams of integer rows on its way to 128-bit integers: it stays in doubles, where BLAS
/// works, for as long as those hold it exactly.
class GramSum {
public:
    /// Works in one half of `memory`, which must outlive the sum, and which another sum may share.
    explicit GramSum(HugePageVector<double>& memory, Half half = Half::upper)
        : memory_(&memory), half_(half) {}

    /// Finds the memory for rows of `d` columns, so that what follows cannot fail.
    void reserve(WideSums& total, std::size_t d);

    /// Adds the Gram of at most exact_gram_rows rows of `d` integer-valued doubles (row-major), or
    /// with sign -1 takes it away, after moving to `total` what would be too much with them.
    void add(std::span<const double> rows, std::size_t d, WideSums& total, GramProduct& product,
             unsigned threads, int sign = 1) noexcept;

    /// Moves what is in doubles to `total`, of d (d + 1) / 2 entries, or none before the first
    /// rows.
    void move_to(WideSums& total, std::size_t d, unsigned threads) noexcept;

private:
    HugePageVector<double>* memory_;  // of two_triangles(d); of no meaning without rows
    Half half_;
    std::size_t rows_ = 0;
};

}  // namespace dpcov::detail
