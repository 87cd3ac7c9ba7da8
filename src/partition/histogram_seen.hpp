// Which rows a noisy histogram of norms shows, and which it may hide. Post-processing: nothing here
// sees un-noised data. Derivation: docs/algorithms.md#partition.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "partition/partition.hpp"

namespace dpcov::detail {

/// The coarsest bin from which on some run of bins holds more than noise would: `least` deviations
/// of the run's noise and `more` of a bin's. None where no run does.
[[nodiscard]] std::optional<std::size_t> last_populated(const NoisyHistogram& histogram,
                                                        double least, double more = 0.0);

/// The same of rows that no noise made up: in at most 2 of 1000 histograms of 136 bins it does.
[[nodiscard]] std::optional<std::size_t> last_beyond_doubt(const NoisyHistogram& histogram,
                                                           const PartitionFacts& facts);

/// The coarsest bin that rows may be in for all that is shown of them, not below `last`, the one
/// that they are shown in. Of bins with these upper radii, ascending.
[[nodiscard]] std::size_t reached_from(std::size_t last, const std::vector<double>& radii,
                                       const PartitionTuning& tuning);

/// The counts without most of their noise, in rows. A run of bins that are not detected has counts
/// from 0.
[[nodiscard]] std::vector<double> smooth_counts(const NoisyHistogram& histogram,
                                                const PartitionTuning& tuning);

/// The bins up to `last`, with those counts.
[[nodiscard]] NoisyHistogram populated_part(const NoisyHistogram& histogram, std::size_t last,
                                            const PartitionTuning& tuning);

/// The bins that rows are taken to be in.
struct Seen {
    std::size_t last = 0;  ///< the coarsest of them
    /// Where rows end that are there beyond doubt, if that is well below `last`: what is between
    /// may be noise, and a stratum that ends there keeps its radius from the others.
    std::optional<std::size_t> certain_end;
    NoisyHistogram populated;  ///< populated_part() up to `last`
};

/// None where no run of bins holds more than noise would.
[[nodiscard]] std::optional<Seen> seen_in(const NoisyHistogram& histogram,
                                          const PartitionFacts& facts);

/// The trace that these bins may hold, for all that the histogram says: at least 0, in units of the
/// squared norm bound, of a sum over n.
[[nodiscard]] double may_hold(const StratumBins& stratum, const NoisyHistogram& histogram,
                              const PartitionFacts& facts);

}  // namespace dpcov::detail
