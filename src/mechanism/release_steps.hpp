// The steps that every mechanism takes: check what it was asked for, find the scale of its noise,
// write down what it gave.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>

#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// The budget in rho. UsageError for pure DP, which `method` cannot spend.
[[nodiscard]] Rho zcdp_budget(const Budget& budget, std::string_view method);

/// The budget in epsilon. UsageError for zCDP, which `method` would spend badly.
[[nodiscard]] Epsilon pure_budget(const Budget& budget, std::string_view method);

/// The t of the public clipping norm T = 2^-t B; 0 without one. UsageError unless 0 < T <= B is
/// such a number and the moment keeps directions where t > 0. Clipping a row looks at that row
/// alone, so a mechanism on clipped rows keeps its proof with T for B (docs/privacy.md#clipping).
[[nodiscard]] int clip_exponent(const ReleaseOptions& options, const MomentLayout& layout);

/// A noisy symmetric matrix; everything from here on is post-processing.
struct NoisyMatrix {
    Eigen::MatrixXd matrix;    ///< d x d, units of the input squared
    double noise_scale = 0.0;  ///< of the law that whoever asked for the noise chose; same units
    double grid = 0.0;         ///< every entry is this times an integer, rounded to a double
};

/// What a mechanism's core gives: a matrix and what is known about it.
struct CovarianceEstimate {
    Eigen::MatrixXd covariance;
    double noisy_trace = 0.0;  ///< unbiased for the trace of the covariance of the rows as clipped
    double grid = 0.0;         ///< of the noisy matrix that it was made from; 0 if none
    /// Unbiased (Stein's) estimate of the squared Frobenius distance to the covariance of the rows
    /// as clipped; may be negative.
    std::optional<double> estimated_squared_error;
    /// Unbiased estimate of the squared Frobenius norm of the covariance of the rows as clipped,
    /// which is what the zero matrix errs by; where the mechanism has a better one than the norm of
    /// its estimate.
    std::optional<double> estimated_squared_norm;
};

/// The estimate from a matrix with pure-DP noise, projected onto a feasible set by variant: `best`
/// the nearest positive semidefinite matrix of trace at most `squared_bound` and `trace_bound`,
/// `published` eigenvalues clamped to [0, squared_bound], `paper` as it is. The last alone has an
/// estimated error: `squared_noise`, the expected squared Frobenius norm of all of the noise.
[[nodiscard]] CovarianceEstimate feasible_estimate(NoisyMatrix noisy, Variant variant,
                                                   double squared_bound, double trace_bound,
                                                   double squared_noise);

/// The release of an estimate, with the meter's account. Where n is private its estimated error
/// counts the division by a noisy n, too. Share is Rho or Epsilon.
template <class Share>
[[nodiscard]] Release make_release(const CountedMoment& moment, const ReleaseOptions& options,
                                   const BudgetMeter<Share>& meter, CovarianceEstimate estimate);

}  // namespace dpcov::detail
