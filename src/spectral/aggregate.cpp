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

Mixture best_mixture(const std::vector<Candidate>& candidates, const MatrixXd& target,
                     const VectorXd& penalties) {
    const auto count = static_cast<Index>(candidates.size());
    const auto candidate = [&](Index m) -> const Candidate& {
        return candidates[static_cast<std::size_t>(m)];
    };
    MatrixXd products(count, count);
    VectorXd gains = -penalties;
    for (Index m = 0; m < count; ++m) {
        gains[m] += candidate(m).matrix.cwiseProduct(target).sum();
        for (Index l = 0; l <= m; ++l) {
            products(l, m) = candidate(m).matrix.cwiseProduct(candidate(l).matrix).sum();
            products(m, l) = products(l, m);
        }
    }
    Mixture mixture = {MatrixXd::Zero(target.rows(), target.cols()),
                       nonnegative_minimum(products, gains), 0.0, 0.0};
    for (Index m = 0; m < count; ++m) {
        const double weight = mixture.weights[m];
        if (weight > 0.0) {
            mixture.matrix += weight * candidate(m).matrix;
            mixture.divergence += weight * candidate(m).divergence;
            mixture.prior_share += weight * candidate(m).prior_share;
        }
    }
    return mixture;
}

}  // namespace dpcov::detail
