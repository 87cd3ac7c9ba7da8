// Which rows count in a stratum, and for how much: in whole, or in part where they are longer than
// it is. Public: functions of bins alone. Proof: docs/privacy.md#partial-rows.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dpcov/statistics.hpp"
#include "moment/norm_bins.hpp"

namespace dpcov::detail {

/// Parts of a row are multiples of 2^-8.
inline constexpr int part_bits = 8;
inline constexpr unsigned whole_row = 1U << part_bits;

/// A bin of which every row counts for `part` of whole_row.
struct PartialBin {
    std::size_t bin = 0;
    unsigned part = whole_row;

    friend bool operator==(const PartialBin&, const PartialBin&) = default;
};

/// The rows of one stratum.
struct StratumRows {
    std::vector<BinRange> whole = {};      ///< in ascending order without a bin in common
    std::vector<PartialBin> partial = {};  ///< none of a bin in `whole`
    std::size_t coarsest = 0;              ///< the bin by whose edge its noise goes
};

/// Of whole rows: at least one range.
[[nodiscard]] StratumRows whole_rows(std::vector<BinRange> bins);

/// Strata of whole rows that have no bin in common, of which one is `extended`: rows of all coarser
/// bins count in it in part as well, and for that much less in their own stratum. All together
/// still count each row for one, and cost what strata of whole rows do.
[[nodiscard]] std::vector<StratumRows> with_extended(const NormBins& norms,
                                                     std::vector<StratumRows> strata,
                                                     std::size_t extended, NoiseShape noise);

}  // namespace dpcov::detail
