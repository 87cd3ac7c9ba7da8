// The noise of a stratified release: on the number of rows in each bin of norms, and on the second
// moment of each stratum. What is drawn, and from which rows, is said by the caller; the
// sensitivities and their proofs are those of mechanism/stratified.
#pragma once

#include <optional>
#include <span>

#include "estimate/partition.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// The law of the noise that a budget pays for.
[[nodiscard]] inline NoiseShape shape_of(Rho /*budget*/) {
    return NoiseShape::gaussian;
}
[[nodiscard]] inline NoiseShape shape_of(Epsilon /*budget*/) {
    return NoiseShape::wishart;
}

/// The number of rows in every bin of norms, with noise that spends `rho` on all of them together.
[[nodiscard]] NoisyHistogram noisy_histogram(const CountedMoment& moment, Rho rho,
                                             RandomSource& random);

/// The same with discrete Laplace noise.
[[nodiscard]] NoisyHistogram noisy_histogram(const CountedMoment& moment, Epsilon epsilon,
                                             RandomSource& random);

/// Sigma_k + N_k for the rows of some neighbouring bins, in units of the squared norm bound, with
/// Gaussian noise. The noise scale is s: entries have variance s^2 on the diagonal, s^2 / 2 off it.
/// Strata that have no bin in common cost `rho` all together. One without rows is released like any
/// other.
[[nodiscard]] NoisyMatrix noisy_stratum(const CountedMoment& moment, BinRange stratum, Rho rho,
                                        RandomSource& random);

/// The same of any bins: ranges in ascending order without a bin in common, noise by the coarsest.
[[nodiscard]] NoisyMatrix noisy_stratum(const CountedMoment& moment,
                                        std::span<const BinRange> stratum, Rho rho,
                                        RandomSource& random);

/// The same with Wishart noise: all strata together cost `epsilon`.
[[nodiscard]] NoisyMatrix noisy_stratum(const CountedMoment& moment, BinRange stratum,
                                        Epsilon epsilon, RandomSource& random);
[[nodiscard]] NoisyMatrix noisy_stratum(const CountedMoment& moment,
                                        std::span<const BinRange> stratum, Epsilon epsilon,
                                        RandomSource& random);

/// Strata as they were drawn, and what is estimated from them.
struct DrawnStrata {
    CountedMoment moment;  ///< with the number of rows that sums were divided by
    CovarianceEstimate estimate;
};

/// Draws these strata, finest first, and estimates from them; where the statistics are kept, or the
/// query has more than second moments, all bins that are in none of them make one more stratum,
/// drawn last, which the estimate leaves out. Without `rows` the strata count them. All together
/// cost the budget, whatever the partition, so long as that comes from public facts and noisy
/// numbers.
[[nodiscard]] DrawnStrata draw_strata(const CountedMoment& rows_of,
                                      const std::optional<RowCount>& rows,
                                      const Partition& partition, const JointQuery& query, Rho rho,
                                      bool keep_statistics, RandomSource& random);
[[nodiscard]] DrawnStrata draw_strata(const CountedMoment& rows_of,
                                      const std::optional<RowCount>& rows,
                                      const Partition& partition, const JointQuery& query,
                                      Epsilon epsilon, bool keep_statistics, RandomSource& random);

}  // namespace dpcov::detail
