// Correlations, told as less where noise may have made them.
#pragma once

#include <Eigen/Core>

#include "derive/varying_columns.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

/// Those of the estimated covariance, times a factor of each of the two columns, from 0 to 1: near
/// 1 where the column's variance is far above its noise, and its correlations together are
/// (docs/deriving.md#shrunk-correlations). A valid correlation matrix. Columns that do not vary
/// have none. Not shrunk where no noise is known.
[[nodiscard]] Eigen::MatrixXd shrunk_correlations(const Release& release,
                                                  const ColumnFlags& varies);

}  // namespace dpcov::detail
