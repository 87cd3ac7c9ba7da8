// What a mechanism that adds noise to a matrix has drawn.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// A noisy symmetric matrix; everything from here on is post-processing.
struct NoisyMatrix {
    Eigen::MatrixXd matrix;  ///< d x d, units of the input squared
    double deviation = 0.0;  ///< standard deviation of the noise on the diagonal; same units
    double grid = 0.0;       ///< every entry is this times an integer, rounded to a double
};

}  // namespace dpcov::detail
