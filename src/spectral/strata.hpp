// One estimate from the noisy Grams of all norm strata. Post-processing: nothing here sees un-noised
// data. docs/algorithms.md#stratified
#pragma once

#include <Eigen/Core>
#include <optional>

namespace dpcov::detail {

/// Takes the noisy Grams of the strata from the finest to the coarsest. The finer ones, which are
/// almost free of noise, teach what shape the coarser ones have.
class StrataEstimator {
public:
    /// d columns, n rows in all strata together.
    StrataEstimator(Eigen::Index d, double rows);

    /// The next coarser stratum: rows of norm at most `radius`, Y_k = Sigma_k + noise, the noise
    /// isotropic Gaussian of scale s and independent of that of the strata before.
    void add(Eigen::MatrixXd noisy, double s, double radius);

    /// sum_k Sigma_k, estimated; symmetric. Not yet projected onto anything.
    [[nodiscard]] const Eigen::MatrixXd& estimate() const noexcept { return estimate_; }
    /// Stein's estimate of the squared Frobenius error of estimate().
    [[nodiscard]] double risk() const;

private:
    double rows_;
    Eigen::MatrixXd estimate_;
    // Sum of the strata that showed nothing since the last that did, and its noise's variance.
    Eigen::MatrixXd pooled_;
    double pooled_variance_ = 0.0;
    // What the strata so far teach, and whether there is anything.
    Eigen::MatrixXd prior_;
    // Sum over strata of estimate less noisy matrix, and the risks with what they have in common.
    Eigen::MatrixXd residual_;
    double risk_ = 0.0;
};

}  // namespace dpcov::detail
