#include "estimate/clamp.hpp"

#include <cblas.h>

namespace dpcov::detail {

Eigen::VectorXd clamp_eigenvalues(const Eigen::VectorXd& values, double upper) {
    return values.cwiseMax(0.0).cwiseMin(upper);
}

Eigen::MatrixXd assemble(const Eigen::MatrixXd& vectors, const Eigen::VectorXd& values) {
    // Eigenvectors of value zero, often most of them, cost nothing.
    Eigen::MatrixXd scaled(vectors.rows(), vectors.cols());
    Eigen::MatrixXd kept(vectors.rows(), vectors.cols());
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        if (values[i] != 0.0) {
            kept.col(count) = vectors.col(i);
            scaled.col(count) = values[i] * vectors.col(i);
            ++count;
        }
    }
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(vectors.rows(), vectors.rows());
    // The upper triangle alone, by panels of columns: as wide as kernels divide without a rest, the
    // last one wider, so that each entry is added up as in one product.
    constexpr Eigen::Index panel = 384;
    for (Eigen::Index first = 0, last = 0; count > 0 && last < vectors.rows(); first = last) {
        last = vectors.rows() - first < 2 * panel ? vectors.rows() : first + panel;
        const auto order = static_cast<blasint>(vectors.rows());
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(last),
                    static_cast<blasint>(last - first), static_cast<blasint>(count), 1.0,
                    scaled.data(), order, &kept(first, 0), order, 0.0, &matrix(0, first), order);
    }
    matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose();
    return matrix;
}

}  // namespace dpcov::detail
