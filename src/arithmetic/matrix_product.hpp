// Products of dense matrices by BLAS, each entry within the standard bound for a sum of products:
// CoinPress's proof rests on it. Throws DeviceError where BLAS fails require_exact_blas.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// A B. The columns of A are as many as the rows of B.
[[nodiscard]] Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// A B^T. A and B have as many columns.
[[nodiscard]] Eigen::MatrixXd product_transposed(const Eigen::MatrixXd& a,
                                                 const Eigen::MatrixXd& b);

}  // namespace dpcov::detail
