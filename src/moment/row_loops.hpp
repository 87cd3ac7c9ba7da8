// The loops over the values of rows that find norms and integers, for registers of any width. All
// widths give the same bits, which depend on nothing but the row.
#pragma once

#include <cstddef>
#include <span>

#include "moment/placement.hpp"

namespace dpcov::detail {

/// Rows of d values, one behind the other.
struct RowsOfValues {
    const double* data;
    std::size_t count;
    std::size_t d;
};

/// Rows `chosen` of some with their places, and where their integers go, in that order.
struct Rounding {
    RowsOfValues rows;
    const Place* places;
    std::span<const std::size_t> chosen;
    double Place::*factor;  ///< which of a place's
    double* q;
    double* squared_norms;
};

/// The loops by registers of one width.
struct RowLoops {
    /// Writes for each row the sum of the squares of its values times a power of two.
    void (*sums_of_squares)(const RowsOfValues& rows, double power_of_two, double* sums) noexcept;

    /// Writes the integers nearest to the chosen rows' values times the factors of their places
    /// (ties to even), and the sum of the squares of each row's. Of the row whose place it is
    /// integers are below 2^51, and the sum is exact and below 2^53.
    void (*round_rows)(const Rounding& rounding) noexcept;
};

/// Those that this processor can run, the widest registers first.
[[nodiscard]] std::span<const RowLoops> usable_row_loops() noexcept;

}  // namespace dpcov::detail
