#include "estimate/pooled_sum.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "estimate/risk.hpp"
#include "estimate/stratum_estimate.hpp"

namespace dpcov::detail {

std::optional<PooledEstimate> pooled_estimate(const PooledSum& sum, const Eigen::MatrixXd& estimate,
                                              double noise_in_estimate, const Tuning& tuning) {
    const Eigen::Index d = sum.matrix.rows();
    const double variance = sum.noise_variance;
    const double level = sum.matrix.trace() / static_cast<double>(d);
    std::vector<Candidate> candidates;  // an initializer list would copy matrices
    candidates.push_back({estimate, {}, noise_in_estimate / variance, 0.0});
    candidates.push_back({level * Eigen::MatrixXd::Identity(d, d), {}, 1.0, 0.0});
    candidates.push_back({sum.matrix, {}, degrees_of_freedom(d), 0.0});
    // What the prior has wrong is no part of this: the sum's noise is in all three.
    std::optional<Mixture> mixture =
        priced_mixture(candidates, sum.matrix, variance, {}, ExpectedError{}, tuning);
    if (!mixture) {
        return std::nullopt;
    }
    const double noise = variance * mixture->divergence;
    const double before = (estimate - sum.matrix).squaredNorm() + 2.0 * noise_in_estimate;
    const double after = (mixture->matrix - sum.matrix).squaredNorm() + 2.0 * noise;
    // The noise of the two estimates' difference.
    const double deviation = 2.0 * std::sqrt(variance) * (mixture->matrix - estimate).norm();
    if (!(before - after > tuning.pooling_gain_z * deviation)) {
        return std::nullopt;
    }
    return PooledEstimate{std::move(mixture->matrix), noise};
}

}  // namespace dpcov::detail
