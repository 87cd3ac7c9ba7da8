#include "estimate/stratum_estimate.hpp"

#include <cmath>

#include "estimate/risk.hpp"

namespace dpcov::detail {

std::optional<Mixture> priced_mixture(const std::vector<Candidate>& candidates,
                                      const Eigen::MatrixXd& target, double variance,
                                      const Eigenbasis& eigen, const SquaredErrors& error,
                                      const Tuning& tuning) {
    Eigen::VectorXd penalties(static_cast<Eigen::Index>(candidates.size()));
    for (Eigen::Index m = 0; m < penalties.size(); ++m) {
        const Candidate& candidate = candidates[static_cast<std::size_t>(m)];
        penalties[m] = variance * (candidate.divergence + tuning.candidate_price) +
                       candidate.prior_share * error.common;
    }
    Mixture mixture = best_mixture(candidates, target, eigen, penalties);
    if (mixture.weights.isZero(0.0)) {
        return std::nullopt;
    }
    return mixture;
}

double fresh_stein_risk(const Mixture& mixture, const Eigen::MatrixXd& target, double variance,
                        const SquaredErrors& error) {
    return stein_risk((mixture.matrix - target).squaredNorm(), target.rows(), mixture.divergence,
                      variance) -
           std::pow(mixture.prior_share, 2) * error.prior;
}

}  // namespace dpcov::detail
