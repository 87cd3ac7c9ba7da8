// Products of matrices, in doubles or in floats, that are symmetric but for rounding: half of the
// work, and exactly symmetric.
#pragma once

#include <cblas.h>

#include <Eigen/Core>
#include <vector>

#include "arithmetic/unwritten_matrix.hpp"

namespace dpcov::detail {

template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// C = op(A) op(B), columns one after the other; BLAS's gemm.
inline void gemm(CBLAS_TRANSPOSE of_a, CBLAS_TRANSPOSE of_b, blasint rows, blasint columns,
                 blasint inner, const double* a, blasint lead_a, const double* b, blasint lead_b,
                 double* c, blasint lead_c) {
    cblas_dgemm(CblasColMajor, of_a, of_b, rows, columns, inner, 1.0, a, lead_a, b, lead_b, 0.0, c,
                lead_c);
}
inline void gemm(CBLAS_TRANSPOSE of_a, CBLAS_TRANSPOSE of_b, blasint rows, blasint columns,
                 blasint inner, const float* a, blasint lead_a, const float* b, blasint lead_b,
                 float* c, blasint lead_c) {
    cblas_sgemm(CblasColMajor, of_a, of_b, rows, columns, inner, 1.0F, a, lead_a, b, lead_b, 0.0F,
                c, lead_c);
}

/// A symmetric matrix. `columns(first, last, to)` writes the upper triangle of those columns, at
/// least. Panels are as wide as kernels divide without a rest, the last one wider, so that each
/// entry is added up as in one product.
template <class Real, class Columns>
[[nodiscard]] MatrixOf<Real> by_upper_panels(Eigen::Index order, const Columns& columns) {
    MatrixOf<Real> matrix = unwritten_matrix<Real>(order, order);
    constexpr Eigen::Index panel = 384;
    for (Eigen::Index first = 0, last = 0; last < order; first = last) {
        last = order - first < 2 * panel ? order : first + panel;
        columns(first, last, &matrix(0, first));
    }
    matrix.template triangularView<Eigen::StrictlyLower>() = matrix.transpose();
    return matrix;
}

/// A B^T of the first `inner` columns of A and B, which is symmetric.
template <class Real>
[[nodiscard]] MatrixOf<Real> symmetric_outer_product(const MatrixOf<Real>& a,
                                                     const MatrixOf<Real>& b, Eigen::Index inner) {
    if (inner == 0) {
        return MatrixOf<Real>::Zero(a.rows(), a.rows());
    }
    const auto lead = static_cast<blasint>(a.rows());
    return by_upper_panels<Real>(
        a.rows(), [&](Eigen::Index first, Eigen::Index last, Real* columns) {
            gemm(CblasNoTrans, CblasTrans, static_cast<blasint>(last),
                 static_cast<blasint>(last - first), static_cast<blasint>(inner), a.data(), lead,
                 &b(first, 0), lead, columns, lead);
        });
}

/// A^T B, which is symmetric; A and B have rows.
template <class Real>
[[nodiscard]] MatrixOf<Real> symmetric_inner_product(const MatrixOf<Real>& a,
                                                     const MatrixOf<Real>& b) {
    const auto lead = static_cast<blasint>(a.rows());
    return by_upper_panels<Real>(
        a.cols(), [&](Eigen::Index first, Eigen::Index last, Real* columns) {
            gemm(CblasTrans, CblasNoTrans, static_cast<blasint>(last),
                 static_cast<blasint>(last - first), lead, a.data(), lead, &b(0, first), lead,
                 columns, static_cast<blasint>(a.cols()));
        });
}

/// V diag(values) V^T. Columns of value zero, often most of them, cost nothing.
template <class Real>
[[nodiscard]] MatrixOf<Real> sum_of_projections(const MatrixOf<Real>& vectors,
                                                const Eigen::VectorXd& values) {
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        if (values[i] != 0.0) {
            kept.push_back(i);
        }
    }
    const auto count = static_cast<Eigen::Index>(kept.size());
    if (count < values.size()) {
        MatrixOf<Real> chosen = unwritten_matrix<Real>(vectors.rows(), count);
        chosen = vectors(Eigen::all, kept);
        return sum_of_projections(chosen, Eigen::VectorXd(values(kept)));
    }
    MatrixOf<Real> scaled = unwritten_matrix<Real>(vectors.rows(), count);
    scaled = vectors * values.cast<Real>().asDiagonal();
    return symmetric_outer_product(scaled, vectors, count);
}

}  // namespace dpcov::detail
