// Which bins of norms go together into one stratum. Post-processing: sees the noisy histogram of
// norms and public facts, never a row.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "estimate/noise_spectrum.hpp"

namespace dpcov::detail {

/// How many rows have which norm, with noise that is independent over bins. Bins go from the finest
/// to the coarsest.
struct NoisyHistogram {
    std::vector<double> counts;  ///< rows in each bin; may be negative
    std::vector<double> radii;   ///< greatest norm in each bin over the norm bound, ascending
    double deviation = 0.0;      ///< of the noise of one count
};

/// What else is public.
struct PartitionFacts {
    Eigen::Index columns = 0;
    double rows = 0.0;  ///< n > 0, public or noisy
    NoiseShape noise = NoiseShape::gaussian;
    /// s of a stratum that reaches up to the norm bound: the deviation on the diagonal, in units of
    /// the squared norm bound. A stratum of radius r has s r^2.
    double noise_deviation_at_radius_one = 0.0;
};

/// A stratum: bins first to last, both included. Its noise is that of the last one's radius.
struct StratumBins {
    std::size_t first = 0;
    std::size_t last = 0;
};

/// Strata from the finest to the coarsest, disjoint. A bin that is in none of them is left out: no
/// noise is drawn for it, and its rows count as zero.
[[nodiscard]] std::vector<StratumBins> choose_partition(const NoisyHistogram& histogram,
                                                        const PartitionFacts& facts);

}  // namespace dpcov::detail
