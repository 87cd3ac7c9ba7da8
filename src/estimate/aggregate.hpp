// The best mixture of estimates, by Stein's risk estimate. Post-processing: nothing here sees
// un-noised data.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "arithmetic/eigenbasis.hpp"
#include "estimate/candidate.hpp"

namespace dpcov::detail {

/// A mixture sum_m w_m g_m, w >= 0.
struct Mixture {
    Eigen::MatrixXd matrix;
    Eigen::VectorXd weights;
    double divergence;   ///< of the mixture at these weights
    double prior_share;  ///< likewise
};

/// argmin over w >= 0 of w^T P w - 2 gains^T w, P = `products` positive semidefinite: the weights
/// of the best mixture of estimates with those scalar products.
[[nodiscard]] Eigen::VectorXd mixture_weights(const Eigen::MatrixXd& products,
                                              const Eigen::VectorXd& gains);

/// The weights that minimise, over w >= 0,
///   |sum_m w_m g_m - target|_F^2 + 2 sum_m w_m penalty_m,
/// Stein's estimate of the risk but for a constant, where target and penalties are Y and
/// s^2 div g_m. All weights zero is the zero matrix.
/// `eigen`: the target's; empty will do where no candidate is a spectrum.
[[nodiscard]] Mixture best_mixture(const std::vector<Candidate>& candidates,
                                   const Eigen::MatrixXd& target, const Eigenbasis& eigen,
                                   const Eigen::VectorXd& penalties);

}  // namespace dpcov::detail
