// The envelope under which |Z|, Z ~ N(0, 1), is drawn: a staircase with integer areas that stands
// on or above A exp(-x^2 / 2). Derivation: docs/sampling.md#gaussian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "arithmetic/real.hpp"

namespace dpcov::detail {

/// Cells 0 ... tail-1 are [k, k+1) / 256. Cell `tail` stands for everything from tail / 256 up, as
/// blocks of width one, each half as high as the one before it.
class HalfNormalTable {
public:
    static constexpr int columns_log2 = 11;
    static constexpr std::size_t columns = std::size_t{1} << columns_log2;
    static constexpr std::size_t tail = columns - 1;
    static constexpr int cells_per_unit_log2 = 8;
    static constexpr int squeeze_bits = 16;

    /// exp(-(k / 256)^2 / 2) for k = 0 ... 2047.
    using Bell = std::deque<Real>;

    /// The table; computed on first use from MPFR's directed rounding.
    static const HalfNormalTable& instance();

    /// The cell that a uniform word picks: cell k with probability area(k) / 2^64, exactly
    /// (Walker's alias method).
    [[nodiscard]] std::size_t pick(std::uint64_t word) const noexcept {
        const std::size_t column = word >> share_bits;
        const std::uint64_t fraction = word & ((std::uint64_t{1} << share_bits) - 1);
        return fraction < own_share_[column] ? column : other_[column];
    }

    /// True only if V < A exp(-x^2 / 2) / height for every V in [v, v + 1] / 2^16 and every x of
    /// the cell: the draw is accepted without looking further.
    [[nodiscard]] bool surely_accepted(std::size_t cell, std::uint64_t v) const noexcept {
        return v < squeeze_[cell];
    }

    /// The integer height of the envelope over a cell; for the tail, over its first block.
    [[nodiscard]] std::uint64_t height(std::size_t cell) const noexcept { return heights_[cell]; }

    /// The integer A.
    [[nodiscard]] std::uint64_t amplitude() const noexcept { return amplitude_; }

private:
    static constexpr int share_bits = 64 - columns_log2;

    HalfNormalTable();
    void compute_heights(const Bell& bell);
    void compute_squeeze(const Bell& bell);
    void compute_aliases();

    std::array<std::uint64_t, columns> own_share_{};
    std::array<std::uint16_t, columns> other_{};
    std::array<std::uint16_t, columns> squeeze_{};
    std::array<std::uint64_t, columns> heights_{};
    std::uint64_t amplitude_ = 0;
};

}  // namespace dpcov::detail
