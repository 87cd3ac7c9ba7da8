// Large matrices in pages of 2 MiB, where the system has them.
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "arithmetic/huge_pages.hpp"

namespace dpcov::detail {

/// A matrix whose entries are yet to be written, in huge pages.
template <class Real>
[[nodiscard]] Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> unwritten_matrix(
    Eigen::Index rows, Eigen::Index columns) {
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> matrix(rows, columns);
    ask_for_huge_pages(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(Real));
    return matrix;
}

/// What an expression says, as a matrix in huge pages.
template <class Expression>
[[nodiscard]] Eigen::MatrixXd in_huge_pages(const Eigen::MatrixBase<Expression>& expression) {
    Eigen::MatrixXd matrix = unwritten_matrix<double>(expression.rows(), expression.cols());
    matrix = expression;
    return matrix;
}

}  // namespace dpcov::detail
