// A symmetric matrix in other units of its columns.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// diag(units) M diag(units), symmetric to the last bit.
[[nodiscard]] inline Eigen::MatrixXd in_units(const Eigen::MatrixXd& symmetric,
                                              const Eigen::VectorXd& units) {
    Eigen::MatrixXd scaled = units.asDiagonal() * symmetric * units.asDiagonal();
    scaled.triangularView<Eigen::StrictlyLower>() = scaled.transpose();
    return scaled;
}

}  // namespace dpcov::detail
