#include "estimate/pooled_sum.hpp"

#include <cmath>
#include <utility>

#include "estimate/aggregate.hpp"
#include "estimate/risk.hpp"

namespace dpcov::detail {

std::optional<PooledEstimate> pooled_estimate(const PooledSum& sum, const Eigen::MatrixXd& estimate,
                                              double noise_in_estimate, const Tuning& tuning) {
    const auto d = static_cast<double>(sum.matrix.rows());
    const double variance = sum.noise_variance;
    const double level = sum.matrix.trace() / d;
    // The estimate of the strata, the multiple of the identity, and the sum: what is asked of them
    // is had without writing them down once more.
    Eigen::Matrix3d products;
    products(0, 0) = estimate.squaredNorm();
    products(0, 1) = level * estimate.trace();
    products(0, 2) = estimate.cwiseProduct(sum.matrix).sum();
    products(1, 1) = level * level * d;
    products(1, 2) = products(1, 1);
    products(2, 2) = sum.matrix.squaredNorm();
    products.triangularView<Eigen::StrictlyLower>() = products.transpose();
    const Eigen::Vector3d divergences(noise_in_estimate / variance, 1.0,
                                      degrees_of_freedom(sum.matrix.rows()));
    // What the prior has wrong is no part of this: the sum's noise is in all three.
    const Eigen::VectorXd weights =
        mixture_weights(products, products.col(2).array() -
                                      variance * (divergences.array() + tuning.candidate_price));
    if (weights.isZero(0.0)) {
        return std::nullopt;
    }
    Eigen::MatrixXd mixture = weights[0] * estimate + weights[2] * sum.matrix;
    mixture.diagonal().array() += weights[1] * level;
    const double noise = variance * weights.dot(divergences);
    const double before = (estimate - sum.matrix).squaredNorm() + 2.0 * noise_in_estimate;
    const double after = (mixture - sum.matrix).squaredNorm() + 2.0 * noise;
    // The noise of the two estimates' difference.
    const double deviation = 2.0 * std::sqrt(variance) * (mixture - estimate).norm();
    if (!(before - after > tuning.pooling_gain_z * deviation)) {
        return std::nullopt;
    }
    return PooledEstimate{std::move(mixture), noise};
}

}  // namespace dpcov::detail
