// What the estimate and the prior err by, together: an error in the prior is in every stratum that
// was estimated with it. Derivation: docs/algorithms.md#stratified-error.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// Of the sum of the strata's estimates and of the prior made of them.
struct SquaredErrors {
    double estimate = 0.0;           ///< expected squared error of the sum
    double prior = 0.0;              ///< likewise of the prior
    double common = 0.0;             ///< expected product of the two errors
    double noise_in_estimate = 0.0;  ///< expected product of the strata's noise and the estimate
    double noise_in_prior = 0.0;     ///< likewise of the prior
};

/// Of one stratum's estimate: it errs by a fresh error, independent of all before, and by
/// `prior_share` times the prior's.
struct StratumError {
    double fresh = 0.0;        ///< expected square
    double prior_share = 0.0;  ///< the estimate moves by this times a small change of the prior
    double noise = 0.0;        ///< expected product of its own noise and the estimate
};

/// By how many times a small change of the prior an estimate of a d x d matrix moves that is
/// `multiple` of the prior but for what it reads from the stratum, `divergence` of d (d + 1) / 2
/// degrees of freedom. The multiple itself is read from it, so that at d = 1 nothing is left.
[[nodiscard]] double share_of_prior(double multiple, double divergence, Eigen::Index d);

/// After a stratum entered the sum, and `weight` times it the prior.
[[nodiscard]] SquaredErrors with_stratum_error(const SquaredErrors& before,
                                               const StratumError& stratum, double weight);

}  // namespace dpcov::detail
