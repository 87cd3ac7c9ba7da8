// Sums of products in doubles that err little: n terms in parts of about sqrt(n), and then the
// parts, so that no term takes part in more than some 2 sqrt(n) roundings.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace dpcov::detail {

/// What a sum of `terms` products of doubles errs by, relatively to the sum of their magnitudes, in
/// whatever order and with or without fused operations (Higham 2002, section 3.1).
[[nodiscard]] constexpr double sum_error(Eigen::Index terms) {
    return 1.01 * static_cast<double>(terms) * 0x1p-53;
}

[[nodiscard]] inline Eigen::Index part_of_sum(Eigen::Index n) {
    return std::max<Eigen::Index>(8, std::lround(std::sqrt(static_cast<double>(n))));
}

/// A sum of n products, or fewer, taken in parts errs as a sum of so many would: sum_error of it.
[[nodiscard]] inline Eigen::Index terms_in_parts(Eigen::Index n) {
    return part_of_sum(n) + n / part_of_sum(n) + 2;
}

/// A x.
[[nodiscard]] inline Eigen::VectorXd product_in_parts(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                                      const Eigen::VectorXd& x) {
    const Eigen::Index part = part_of_sum(x.size());
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(a.rows());
    for (Eigen::Index first = 0; first < x.size(); first += part) {
        const Eigen::Index size = std::min(part, x.size() - first);
        const Eigen::VectorXd summand = a.middleCols(first, size) * x.segment(first, size);
        sum += summand;
    }
    return sum;
}

}  // namespace dpcov::detail
