#include "arithmetic/matrix_product.hpp"

#include <cblas.h>

#include "arithmetic/exact_blas.hpp"
#include "arithmetic/interruption.hpp"
#include "arithmetic/unwritten_matrix.hpp"

namespace dpcov::detail {
namespace {

Eigen::MatrixXd product_with(CBLAS_TRANSPOSE transpose_b, const Eigen::MatrixXd& a,
                             const Eigen::MatrixXd& b, Eigen::Index columns) {
    require_exact_blas();
    check_interruption();
    Eigen::MatrixXd result = unwritten_matrix<double>(a.rows(), columns);
    if (result.size() == 0 || a.cols() == 0) {
        result.setZero();
        return result;
    }
    const auto rows = static_cast<blasint>(a.rows());
    cblas_dgemm(CblasColMajor, CblasNoTrans, transpose_b, rows, static_cast<blasint>(columns),
                static_cast<blasint>(a.cols()), 1.0, a.data(), rows, b.data(),
                static_cast<blasint>(b.rows()), 0.0, result.data(), rows);
    return result;
}

}  // namespace

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return product_with(CblasNoTrans, a, b, b.cols());
}

Eigen::MatrixXd product_transposed(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return product_with(CblasTrans, a, b, b.rows());
}

}  // namespace dpcov::detail
