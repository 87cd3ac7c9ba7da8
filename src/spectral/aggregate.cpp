#include "spectral/aggregate.hpp"

#include <algorithm>
#include <cmath>

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// argmin over w >= 0 of w^T A w - 2 b^T w, A positive semidefinite, by coordinate descent: every
// step lowers the objective, whatever stands between A's columns.
VectorXd nonnegative_minimum(const MatrixXd& a, const VectorXd& b) {
    constexpr int most_sweeps = 2000;
    VectorXd w = VectorXd::Zero(b.size());
    VectorXd gradient = -b;  // half of it
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double moved = 0.0;
        for (Index m = 0; m < b.size(); ++m) {
            if (a(m, m) > 0.0) {
                const double next = std::max(0.0, w[m] - gradient[m] / a(m, m));
                gradient += (next - w[m]) * a.col(m);
                moved = std::max(moved, std::fabs(next - w[m]));
                w[m] = next;
            }
        }
        if (moved < 1e-6) {
            break;
        }
    }
    return w;
}

}  // namespace

Mixture best_mixture(const std::vector<Candidate>& candidates, const MatrixXd& noisy, double s,
                     double price) {
    const auto count = static_cast<Index>(candidates.size());
    MatrixXd products(count, count);
    VectorXd gains(count);
    VectorXd divergences(count);
    for (Index m = 0; m < count; ++m) {
        const Candidate& candidate = candidates[static_cast<std::size_t>(m)];
        divergences[m] = candidate.divergence;
        gains[m] = candidate.matrix.cwiseProduct(noisy).sum() -
                   s * s * (candidate.divergence + price);
        for (Index l = 0; l <= m; ++l) {
            products(l, m) = candidate.matrix
                                 .cwiseProduct(candidates[static_cast<std::size_t>(l)].matrix)
                                 .sum();
            products(m, l) = products(l, m);
        }
    }
    Mixture mixture;
    mixture.weights = nonnegative_minimum(products, gains);
    mixture.divergence = mixture.weights.dot(divergences);
    mixture.matrix = MatrixXd::Zero(noisy.rows(), noisy.cols());
    for (Index m = 0; m < count; ++m) {
        if (mixture.weights[m] > 0.0) {
            mixture.matrix += mixture.weights[m] * candidates[static_cast<std::size_t>(m)].matrix;
        }
    }
    const auto d = static_cast<double>(noisy.rows());
    mixture.risk = (mixture.matrix - noisy).squaredNorm() +
                   s * s * (2.0 * mixture.divergence - 0.5 * d * (d + 1.0));
    return mixture;
}

}  // namespace dpcov::detail
