#include "estimate/partition.hpp"

#include <algorithm>
#include <cmath>

namespace dpcov::detail {
namespace {

// The k with radius in (2^(k-1), 2^k], but -12 for what lies below: its noise is next to nothing.
int octave_of(double radius) {
    return std::max(-12, static_cast<int>(std::ceil(std::log2(radius))));
}

}  // namespace

// One stratum an octave.
std::vector<StratumBins> choose_partition(const NoisyHistogram& histogram,
                                          const PartitionFacts& /*facts*/) {
    const std::vector<double>& radii = histogram.radii;
    std::vector<StratumBins> strata = {{0, 0}};
    for (std::size_t bin = 1; bin < radii.size(); ++bin) {
        if (octave_of(radii[bin]) != octave_of(radii[bin - 1])) {
            strata.push_back({bin, bin});
        }
        strata.back().last = bin;
    }
    return strata;
}

}  // namespace dpcov::detail
