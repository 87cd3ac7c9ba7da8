// The noise of a stratified release: on the number of rows in each bin of norms, and on the second
// moment of each stratum. What is drawn, and from which rows, is said by the caller; the
// sensitivities and their proofs are those of mechanism/stratified.
#pragma once

#include <optional>

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

// In both of these Share is Rho, and the noise is Gaussian, or Epsilon: discrete Laplace noise on
// numbers of rows, Wishart noise on matrices.

/// The number of rows in every bin of norms, with noise that spends the budget on all of them
/// together.
template <class Share>
[[nodiscard]] NoisyHistogram noisy_histogram(const CountedMoment& moment, Share budget,
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
template <class Share>
[[nodiscard]] DrawnStrata draw_strata(const CountedMoment& rows_of,
                                      const std::optional<RowCount>& rows,
                                      const Partition& partition, const JointQuery& query,
                                      Share budget, bool keep_statistics, RandomSource& random);

}  // namespace dpcov::detail
