// A covariance that is diagonal but for one direction.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <utility>

namespace dpcov::detail {

/// diag(v) + k g g^T, p x p and positive definite; diag(v) where g is empty.
class DiagonalPlusRankOne {
public:
    DiagonalPlusRankOne(Eigen::ArrayXd v, const Eigen::ArrayXd& g, double k)
        : diagonal_(std::move(v)) {
        if (g.size() > 0) {
            solved_ = g / diagonal_;
            growth_ = 1.0 + k * (g * solved_).sum();
            weight_ = k / growth_;
        }
    }

    /// Its inverse times x, by Sherman and Morrison.
    [[nodiscard]] Eigen::ArrayXd solve(const Eigen::ArrayXd& x) const {
        Eigen::ArrayXd y = x / diagonal_;
        if (solved_.size() > 0) {
            y -= weight_ * (solved_ * x).sum() * solved_;
        }
        return y;
    }

    [[nodiscard]] double log_determinant() const {
        return diagonal_.log().sum() + std::log(growth_);
    }

private:
    Eigen::ArrayXd diagonal_;
    Eigen::ArrayXd solved_;  // diag(v)^-1 g, or empty
    double growth_ = 1.0;    // of the determinant by k g g^T
    double weight_ = 0.0;
};

}  // namespace dpcov::detail
