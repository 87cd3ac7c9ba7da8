// Products of reflections in long doubles, for tests.
#pragma once

#include <Eigen/Core>

#include "mechanism/reflections.hpp"
#include "support/decompositions.hpp"

namespace dpcov::test {

inline LongMatrix as_matrix(const detail::Reflections& reflections, Eigen::Index n) {
    LongMatrix p = LongMatrix::Identity(n, n);
    for (const Eigen::VectorXd& v : reflections.vectors()) {
        const LongVector exact = v.cast<long double>();
        auto right = p.rightCols(v.size());
        right -= (2.0L / exact.squaredNorm() * (right * exact) * exact.transpose()).eval();
    }
    return p.rightCols(reflections.columns());
}

}  // namespace dpcov::test
