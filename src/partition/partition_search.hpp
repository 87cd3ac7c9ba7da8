// The search for the ends of strata that promise the least error. Post-processing: nothing here
// sees un-noised data. Derivation: docs/algorithms.md#partition.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "partition/histogram_seen.hpp"
#include "partition/partition_error.hpp"

namespace dpcov::detail {

/// `top`, and bins of at most half the radius of the next, at most `most` of them. Ascending, as
/// `radii` are: the bins' upper ones in any unit.
[[nodiscard]] Ends octaves_below(const std::vector<double>& radii, std::size_t top,
                                 std::size_t most);

/// Bins above `low` up to `last`, ascending; none where `last` is `low`. From there down each is
/// the lowest that is at most an octave below the one above it, so that long strata are few: their
/// noise adds up, and noise goes with the square of the radius.
[[nodiscard]] Ends octaves_above(const std::vector<double>& radii, std::size_t low,
                                 std::size_t last);

/// Of the partitions of the bins that are seen, which `model` is of, the ends of the one with the
/// least PartitionError::cost() that is found; the last of them is the last bin. No stratum but the
/// finest is wider than an octave: a few rows in the middle, which the histogram does not show,
/// would get the noise of the longest. And one ends at the certain end, if there is one.
[[nodiscard]] Ends best_ends(const Seen& seen, const PartitionError& model);

/// The ends of strata, and the one that is extended.
struct ExtendedEnds {
    Ends ends;
    std::optional<std::size_t> extended = {};
};

/// These, or others, with the same limits, and one of them extended or none: those that promise the
/// least error, others at most `worth` of it. Of two that promise the same, the extended one: there
/// may be rows that the histogram does not show.
[[nodiscard]] ExtendedEnds best_extended(const Ends& ends, const Seen& seen,
                                         const PartitionError& model, double worth);

}  // namespace dpcov::detail
