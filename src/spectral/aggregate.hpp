// The best mixture of estimates, by Stein's risk estimate. Post-processing: nothing here sees
// un-noised data.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "spectral/candidate.hpp"

namespace dpcov::detail {

/// A mixture sum_m w_m g_m(Y), w >= 0, and the estimate of its risk E|. - Sigma|_F^2.
struct Mixture {
    Eigen::MatrixXd matrix;
    Eigen::VectorXd weights;
    double divergence;
    double risk;  ///< Stein's estimate at these weights; may be negative
};

/// The weights that minimise, over w >= 0,
///   |sum_m w_m g_m - Y|_F^2 + 2 s^2 sum_m w_m (div g_m + price),
/// Stein's estimate but for a constant and for the price, in degrees of freedom, of having chosen.
/// All weights zero is the zero matrix. `noisy` is Y; its noise is isotropic of scale s.
[[nodiscard]] Mixture best_mixture(const std::vector<Candidate>& candidates,
                                   const Eigen::MatrixXd& noisy, double s, double price);

}  // namespace dpcov::detail
