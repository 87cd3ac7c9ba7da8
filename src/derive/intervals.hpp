// Estimates without intervals, why they have none, and how they get some.
#pragma once

#include <Eigen/Core>
#include <string>

#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

/// Without intervals: NaN.
[[nodiscard]] MatrixEstimate without_intervals(Eigen::MatrixXd estimate);
[[nodiscard]] VectorEstimate without_intervals(Eigen::VectorXd estimate);

/// Why a release has none.
[[nodiscard]] std::string why_no_intervals(const Release& release);

/// Of the entries (i, j) and (j, i).
void set_symmetric(MatrixEstimate& estimate, Eigen::Index i, Eigen::Index j,
                   const Interval& interval);

}  // namespace dpcov::detail
