// The noise of a stratified release: on the number of rows in each bin of norms, and on the second
// moment of each stratum. What is drawn, and from which rows, is said by the caller; the
// sensitivities and their proofs are those of mechanism/stratified.
#pragma once

#include <optional>

#include "estimate/covariance_estimate.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/released_rows.hpp"
#include "partition/partition.hpp"

namespace dpcov::detail {

// In both of these Share is Rho, and the noise is Gaussian, or Epsilon: discrete Laplace noise on
// numbers of rows, Wishart noise on matrices.

/// The number of rows in every bin of norms, with noise that spends the budget on all of them
/// together.
template <class Share>
[[nodiscard]] NoisyHistogram noisy_histogram(const SecretMoment& secret, Neighbours neighbours,
                                             Share budget, RandomSource& random);

/// Strata as they were drawn, and what is estimated from them.
struct DrawnStrata {
    CountedMoment moment;  ///< with the number of rows that sums were divided by
    CovarianceEstimate estimate;
};

/// Which strata to draw, and what of them. Post-processing of what was drawn before, and public
/// facts: else the strata would cost more than their budget. For one call; it holds no copies.
struct StrataRequest {
    const Partition& partition;
    const JointQuery& query;
    std::optional<RowCount> rows;  ///< none: the strata count them
    bool keep_statistics = false;
};

/// Draws these strata, finest first, and estimates from them; where the statistics are kept, or the
/// query has more than second moments, all bins that are in none of them make one more stratum,
/// drawn last, which the estimate leaves out. All together cost the budget, whatever the partition.
/// Bins are forgotten when the last stratum with rows of theirs was drawn.
template <class Share>
[[nodiscard]] DrawnStrata draw_strata(const ReleasedRows& drawn_from, Neighbours neighbours,
                                      const StrataRequest& request, Share budget,
                                      RandomSource& random);

}  // namespace dpcov::detail
