#include "estimate/precision.hpp"

#include <cmath>

namespace dpcov::detail {

double single_precision_error(const Eigen::MatrixXd& matrix) {
    return 16.0 * std::sqrt(static_cast<double>(matrix.rows())) * 0x1p-24 * matrix.norm();
}

Precision enough_precision(const Eigen::MatrixXd& matrix, double error) {
    constexpr Eigen::Index least_columns = 128;
    return matrix.rows() >= least_columns &&
                   single_precision_error(matrix) <= negligible_beside(error)
               ? Precision::single
               : Precision::full;
}

}  // namespace dpcov::detail
