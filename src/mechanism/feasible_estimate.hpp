// From a matrix with pure-DP noise to the covariance: the nearest one that there can be.
#pragma once

#include <limits>

#include "dpcov/methods.hpp"
#include "dpcov/statistics.hpp"
#include "estimate/covariance_estimate.hpp"
#include "mechanism/noisy_matrix.hpp"

namespace dpcov::detail {

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

}  // namespace dpcov::detail
