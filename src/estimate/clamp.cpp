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
    if (count > 0) {
        const auto order = static_cast<blasint>(vectors.rows());
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, order, order,
                    static_cast<blasint>(count), 1.0, scaled.data(), order, kept.data(), order, 0.0,
                    matrix.data(), order);
    }
    matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose();
    return matrix;
}

}  // namespace dpcov::detail
