// One stratum's estimate: the best mixture of candidates, and what it errs by.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "arithmetic/eigenbasis.hpp"
#include "estimate/aggregate.hpp"
#include "estimate/candidate.hpp"
#include "estimate/error_model.hpp"
#include "estimate/tuning.hpp"

namespace dpcov::detail {

struct StratumEstimate {
    Eigen::MatrixXd matrix;  ///< d x d, symmetric
    StratumError error;      ///< the fresh one no less than that of one degree of freedom
};

/// The best mixture by Stein's unbiased risk estimate, where each candidate is charged for being
/// one of many, and for its share of the prior, whose error is in the estimate of finer strata
/// already. None where no mixture is better than zero. `target`, `variance` and `eigen` as
/// best_mixture has them.
[[nodiscard]] std::optional<Mixture> priced_mixture(const std::vector<Candidate>& candidates,
                                                    const Eigen::MatrixXd& target, double variance,
                                                    const Eigenbasis& eigen,
                                                    const SquaredErrors& error,
                                                    const Tuning& tuning);

/// Stein's unbiased risk estimate of that mixture, less what the prior's error makes of it.
[[nodiscard]] double fresh_stein_risk(const Mixture& mixture, const Eigen::MatrixXd& target,
                                      double variance, const SquaredErrors& error);

}  // namespace dpcov::detail
