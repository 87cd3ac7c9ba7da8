#include "estimate/error_model.hpp"

#include "estimate/risk.hpp"

namespace dpcov::detail {

double share_of_prior(double multiple, double divergence, Eigen::Index d) {
    return multiple * (1.0 - divergence / degrees_of_freedom(d));
}

SquaredErrors with_stratum_error(const SquaredErrors& before, const StratumError& stratum,
                                 double weight) {
    const auto [fresh, share, noise] = stratum;
    const double kept = 1.0 + weight * share;
    return {.estimate =
                before.estimate + (fresh + share * (share * before.prior + 2.0 * before.common)),
            .prior = kept * kept * before.prior + weight * weight * fresh,
            .common = kept * (before.common + share * before.prior) + weight * fresh,
            .noise_in_estimate = before.noise_in_estimate + noise + share * before.noise_in_prior,
            .noise_in_prior = kept * before.noise_in_prior + weight * noise};
}

}  // namespace dpcov::detail
