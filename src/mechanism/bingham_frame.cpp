#include "mechanism/bingham_frame.hpp"

#include <cmath>

namespace dpcov::detail {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd BinghamFrame::times(const VectorXd& y) const {
    return base_ * narrowed_.times(y);
}

std::deque<RealInterval> BinghamFrame::times(const std::deque<RealInterval>& y) const {
    return enclosed_product(base_, narrowed_.times(y));
}

double BinghamFrame::rounding() const {
    return 1.01 * narrowed_.error() * base_.norm();
}

VectorXd BinghamFrame::reflection(const VectorXd& y) {
    VectorXd v = y;
    v[0] += std::copysign(1.0, y[0]);
    return v;
}

bool BinghamFrame::leave_out(const VectorXd& y) {
    narrowed_.add(reflection(y));
    const bool moves = 5 * narrowed_.count() >= base_.cols();
    if (moves) {
        base_ = rounded();
        narrowed_ = Reflections(base_.cols());
    }
    return moves;
}

std::deque<RealInterval> enclosed_product(const Eigen::Ref<const MatrixXd>& a,
                                          const std::deque<RealInterval>& x) {
    std::deque<RealInterval> result;
    for (Index i = 0; i < a.rows(); ++i) {
        RealInterval& sum = result.emplace_back(mpfr_get_prec(x.front().low()));
        for (Index j = 0; j < a.cols(); ++j) {
            sum.add_product(a(i, j), x[static_cast<std::size_t>(j)]);
        }
    }
    return result;
}

}  // namespace dpcov::detail
