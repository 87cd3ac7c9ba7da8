// Integer rows as 8-bit digits, where processors multiply and add 64 pairs of those at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "arithmetic/huge_pages.hpp"

namespace dpcov::detail {

/// What integers are as digits: q = divisor (offset + sum_l digit_l 256^l), with digits in
/// [-128, 127].
struct DigitForm {
    double divisor = 1.0;    ///< of all of them, at least 1
    std::size_t digits = 1;  ///< 1, 2 or 3
    double offset = 0.0;     ///< of magnitude at most 128; other than 0 with one digit only
};

/// The form with the greatest common divisor, for rows of `d` integers (as doubles, of magnitude at
/// most 2^20), or that with 1 where the divisor would save no digit. Data of a few bits, such as
/// images and indicators, come as multiples of their unit on the grid. An offset is taken where it
/// makes one digit enough: 8 bits without a sign.
[[nodiscard]] DigitForm digit_form(std::span<const double> rows, std::size_t d) noexcept;

/// Rows of such integers, as digits. SECRET.
///
/// 16 columns are a panel. Of a panel and a digit, 64 rows are a tile of 1024 bytes: four rows of
/// one column lie together, then those of the next column. Columns and rows that fill a tile up are
/// zeros.
class DigitPanels {
public:
    static constexpr std::size_t panel_columns = 16;
    static constexpr std::size_t tile_rows = 64;
    static constexpr std::size_t tile_bytes = panel_columns * tile_rows;
    static constexpr std::size_t most_digits = 3;

    /// How many bytes so many rows of `d` columns take at most.
    [[nodiscard]] static std::size_t bytes(std::size_t rows, std::size_t d) noexcept;

    /// Works in `memory`, which must outlive this; takes bytes(most_rows, d) there.
    DigitPanels(HugePageVector<std::int8_t>& memory, std::size_t most_rows, std::size_t d);

    /// Takes the place of the rows before. Row-major, at most as many as there is memory for, of
    /// integer-valued doubles in that form.
    void set(std::span<const double> rows, const DigitForm& form, unsigned threads) noexcept;

    [[nodiscard]] std::size_t digits() const noexcept { return digits_; }
    /// Even, so that kernels take panels two at a time.
    [[nodiscard]] std::size_t panels() const noexcept { return panels_; }
    [[nodiscard]] std::size_t tiles() const noexcept { return tiles_; }
    /// The first tile of a digit (the 0th is the least) of that panel; the others follow.
    [[nodiscard]] const std::int8_t* tile(std::size_t panel, std::size_t digit) const noexcept {
        return begin_ + (panel * digits_ + digit) * bytes_of_digit_;
    }

private:
    std::size_t d_;
    std::size_t panels_;
    std::int8_t* begin_;
    std::size_t tiles_ = 0;
    std::size_t digits_ = 0;
    std::size_t bytes_of_digit_ = 0;  // of all rows, in one panel
};

}  // namespace dpcov::detail
