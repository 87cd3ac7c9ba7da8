// Memory for large sums and matrices in pages of 2 MiB, where the system has them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace dpcov::detail {

/// Asks the system to back memory that was not written yet by huge pages. Each page of 4 KiB costs
/// a fault, and a release of 5000 columns had four million. Memory below 4 MiB stays as it is, and
/// no page reaches beyond the memory; a system without such pages changes nothing.
void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept;

/// As values.reserve(count), in huge pages.
template <class Value>
void reserve_in_huge_pages(std::vector<Value>& values, std::size_t count) {
    if (count > values.capacity()) {
        values.reserve(count);
        ask_for_huge_pages(values.data() + values.size(),
                           (values.capacity() - values.size()) * sizeof(Value));
    }
}

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
