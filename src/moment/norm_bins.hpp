// How finely a moment tells norms apart: in octaves, and in bins inside the coarsest of them.
//
// Octave k holds the rows of norm in (2^-(k+1), 2^-k] B, as integers q with |q|^2 <= 2^40
// (moment/placement). A bin of octave k holds those of its rows whose |q|^2 is at most its squared
// edge and above that of the next finer bin. All bins of an octave have the same integers, so that
// their Grams add up; and a bin is a function of q, so that it adds up to the same whatever
// resolution it was counted at (docs/privacy.md#bins).
#pragma once

#include <cstddef>

namespace dpcov::detail {

/// Neighbouring bins, both ends included; the first is the finest.
struct BinRange {
    std::size_t first = 0;
    std::size_t last = 0;

    friend bool operator==(const BinRange&, const BinRange&) = default;
};

/// The bins of a moment, numbered from the finest to the coarsest. Public: functions of the columns
/// alone, unless an older file says that it has one bin an octave.
class NormBins {
public:
    /// Octave k holds norms from 2^-(k+1) B to 2^-k B, and the last all that are shorter.
    static constexpr int octaves = 40;
    /// Bins that an octave may have at most: edges a factor of 2^(1/16) apart.
    static constexpr int most_per_octave = 16;
    /// How many octaves have more than one bin.
    static constexpr int most_fine_octaves = 8;

    /// `per_octave` bins (1, 2, 4, 8 or 16) in the `fine_octaves` coarsest octaves and one in each
    /// of the others. UsageError for other numbers.
    NormBins(int per_octave, int fine_octaves);

    /// One bin an octave.
    [[nodiscard]] static NormBins whole_octaves() { return {1, 0}; }
    /// As finely as memory and time allow for a moment of `columns` columns.
    [[nodiscard]] static NormBins for_columns(std::size_t columns);

    [[nodiscard]] int per_octave() const noexcept { return per_octave_; }
    [[nodiscard]] int fine_octaves() const noexcept { return fine_octaves_; }
    [[nodiscard]] std::size_t size() const noexcept;

    [[nodiscard]] int octave(std::size_t bin) const noexcept;
    [[nodiscard]] BinRange of_octave(int k) const noexcept;
    /// The bin of a row of octave k with integers of that squared norm, at most 2^40.
    [[nodiscard]] std::size_t of_row(int k, double squared_norm) const noexcept;
    /// The greatest |q|^2 that rows of the bin can have, an integer.
    [[nodiscard]] double squared_edge(std::size_t bin) const noexcept;
    /// The greatest norm that rows of the bin can have, over the norm bound.
    [[nodiscard]] double radius(std::size_t bin) const noexcept;

    friend bool operator==(const NormBins&, const NormBins&) = default;

private:
    [[nodiscard]] int bins_in(int k) const noexcept { return k < fine_octaves_ ? per_octave_ : 1; }

    int per_octave_;
    int fine_octaves_;
};

/// The finest bins that those of both add up to.
[[nodiscard]] NormBins common_bins(const NormBins& a, const NormBins& b);

}  // namespace dpcov::detail
