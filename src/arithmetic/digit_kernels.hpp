// Products of 8-bit digits by the processor's instructions for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/digit_panels.hpp"

namespace dpcov::detail {

/// Adds up, over all rows, products of the digits of 32 columns (two panels) with those of 32
/// others. Exact: at most 3 * 2^13 products, of at most 2^14, stay below 2^31, and so they do where
/// one of the digits has 128 added.
struct DigitKernel {
    /// Writes to `prepared`, which has prepared_bytes(), what is needed of `panel` and the next.
    void (*prepare)(const DigitPanels& rows, std::size_t panel, std::int8_t* prepared) noexcept;
    /// `sums` becomes [2 digits - 1][32][32], of which [w][m][n] is the sum over the digits
    /// a + b = w of digit a in column m of the prepared panels times digit b in column n of
    /// `second_panel` and the next.
    void (*products)(const DigitPanels& rows, const std::int8_t* prepared, std::size_t second_panel,
                     std::int32_t* sums) noexcept;
};

inline constexpr std::size_t kernel_columns = 2 * DigitPanels::panel_columns;
/// How many sums one weight 256^w has, and how many there are at most.
inline constexpr std::size_t sums_of_weight = kernel_columns * kernel_columns;
inline constexpr std::size_t kernel_sums = (2 * DigitPanels::most_digits - 1) * sums_of_weight;

/// Of at most so many rows.
[[nodiscard]] constexpr std::size_t prepared_bytes(std::size_t rows) noexcept {
    const std::size_t tiles = (rows + DigitPanels::tile_rows - 1) / DigitPanels::tile_rows;
    return 2 * DigitPanels::most_digits * tiles * DigitPanels::tile_bytes;
}

/// By AMX, tiles of 16 x 64 digits. nullptr where the processor or the system has it not.
[[nodiscard]] const DigitKernel* amx_digit_kernel() noexcept;

/// By AVX-512 VNNI. nullptr where the processor has it not.
[[nodiscard]] const DigitKernel* vnni_digit_kernel() noexcept;

}  // namespace dpcov::detail
