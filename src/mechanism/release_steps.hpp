// The steps that every mechanism takes: check what it was asked for, write down what it gave.
#pragma once

#include <Eigen/Core>

#include "estimate/covariance_estimate.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "privacy/budget_meter.hpp"
#include "random/symmetric_noise.hpp"

namespace dpcov::detail {

/// The t of the public clipping norm T = 2^-t B; 0 without one. UsageError unless 0 < T <= B is
/// such a number and the moment keeps directions where t > 0. Clipping a row looks at that row
/// alone, so a mechanism on clipped rows keeps its proof with T for B (docs/privacy.md#clipping).
[[nodiscard]] int clip_exponent(const ReleaseOptions& options, const MomentLayout& layout);

/// UsageError where rows are to be clipped below the norm bound: of the rows as clipped there is no
/// sum to centre by.
void require_sum_of_rows(const ReleaseOptions& options, const MomentLayout& layout);

/// The law of noise on a matrix entry by entry: the paper's, but for `best`.
[[nodiscard]] constexpr NoiseLaw noise_law(Variant variant) {
    return variant == Variant::best ? NoiseLaw::isotropic : NoiseLaw::wigner;
}

/// Statistics of noise of that law on sums over the rows of `moment`, without strata so far.
[[nodiscard]] Statistics statistics_of(const CountedMoment& moment, NoiseShape noise);
/// Complete ones, of which `all_rows` is the only stratum.
[[nodiscard]] Statistics statistics_of(const CountedMoment& moment, NoiseShape noise,
                                       NoisyMoment all_rows);

/// The zero matrix, of which nothing is estimated.
[[nodiscard]] CovarianceEstimate no_estimate(const MomentLayout& layout);

/// What rows a release is of, and how they were mapped.
void describe_rows(Release& release, const MomentLayout& layout);

/// Whether what was released is at least twice as long as the covariance, by that estimate of the
/// latter's squared norm. Then it is farther from the covariance than the zero matrix is, in
/// whatever direction it errs. For releases whose own error is not estimated.
[[nodiscard]] bool is_far_from_zero(const Eigen::MatrixXd& released, double squared_norm);

/// The release of an estimate, with the meter's account. Where n is private its estimated error
/// counts the division by a noisy n, too. Share is Rho or Epsilon.
template <class Share>
[[nodiscard]] Release make_release(const CountedMoment& moment, const ReleaseOptions& options,
                                   const BudgetMeter<Share>& meter, CovarianceEstimate estimate);

}  // namespace dpcov::detail
