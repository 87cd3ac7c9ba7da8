// The sum of many logarithms, by one logarithm for four numbers.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// Of numbers from 1 to 10^77, which no product of four takes out of the doubles' range.
[[nodiscard]] double sum_of_logs(const Eigen::ArrayXd& numbers);

}  // namespace dpcov::detail
