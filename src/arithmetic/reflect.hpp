// One reflection of one vector: what nearly all the time of reflections goes to.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// a^T b, n products, in lanes: it errs as a sum of terms_in_lanes(n) would in any order.
[[nodiscard]] double dot_in_lanes(const double* a, const double* b, Eigen::Index n);
[[nodiscard]] constexpr Eigen::Index terms_in_lanes(Eigen::Index n) {
    return n / 16 + 20;
}

/// x -= (factor v^T x) v, v and x apart.
void reflect(const double* v, double factor, double* x, Eigen::Index n);

/// Of reflect() where factor is 2 / dot_in_lanes(v, v), relative to |x|, for H = I - 2 v v^T / v^T
/// v: its two sums err, each twice, and so do three roundings of coordinates.
[[nodiscard]] constexpr double reflection_error(Eigen::Index n) {
    return 4.2 * 1.01 * static_cast<double>(terms_in_lanes(n) + 4) * 0x1p-53;
}

}  // namespace dpcov::detail
