// The steps that every mechanism takes: check what it was asked for, write down what it gave.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

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

/// A share of something in 64ths: rounded, from 1 to `most`.
[[nodiscard]] inline unsigned sixty_fourths(double share, unsigned most) {
    return static_cast<unsigned>(std::clamp(std::round(64.0 * share), 1.0, 1.0 * most));
}

/// A budget in two, which add up to it.
template <class Share>
struct Cut {
    Share part;
    Share rest;
};

/// Its part is that share of the budget, in 64ths.
template <class Share>
[[nodiscard]] Cut<Share> cut(Share budget, double share, unsigned most) {
    const unsigned parts = sixty_fourths(share, most);
    return {budget.share(parts, 6), budget.share(64 - parts, 6)};
}

/// A noisy symmetric matrix; everything from here on is post-processing.
struct NoisyMatrix {
    Eigen::MatrixXd matrix;  ///< d x d, units of the input squared
    double deviation = 0.0;  ///< standard deviation of the noise on the diagonal; same units
    double grid = 0.0;       ///< every entry is this times an integer, rounded to a double
};

/// Statistics of noise of that law on sums over the rows of `moment`, without strata so far.
[[nodiscard]] Statistics statistics_of(const CountedMoment& moment, NoiseShape noise);

/// What is known of the covariance of rows no longer than a bound, beside that it is positive
/// semidefinite.
struct FeasibleSet {
    double squared_bound = 0.0;  ///< of the rows' norms; no eigenvalue and no trace is greater
    double trace_bound = std::numeric_limits<double>::infinity();
};

/// The estimate from a matrix with pure-DP noise, projected onto a feasible set by variant: `best`
/// the nearest matrix of it, `published` eigenvalues clamped to [0, squared_bound], `paper` as it
/// is. The last alone has an estimated error: `squared_noise`, the expected squared Frobenius norm
/// of all of the noise (0: not known).
[[nodiscard]] CovarianceEstimate feasible_estimate(NoisyMatrix noisy, Variant variant,
                                                   const FeasibleSet& set,
                                                   double squared_noise = 0.0);

/// The same about the mean, from noise on all rows together; `paper` as `published`, for what it
/// leaves as drawn is a second moment. It has no estimated error.
[[nodiscard]] CovarianceEstimate feasible_about_mean(const NoisyMoment& all_rows, Variant variant);

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
