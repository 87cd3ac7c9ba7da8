#include "arithmetic/eigenbasis.hpp"

#include <utility>

#include "arithmetic/interruption.hpp"
#include "arithmetic/matrix_product.hpp"
#include "arithmetic/symmetric_product.hpp"
#include "arithmetic/tridiagonal.hpp"
#include "arithmetic/unwritten_matrix.hpp"

namespace dpcov::detail {
namespace {

using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

template <class... Case>
struct Either : Case... {
    using Case::operator()...;
};
template <class... Case>
Either(Case...) -> Either<Case...>;

MatrixXf product_in_floats(const MatrixXf& a, const MatrixXf& b) {
    check_interruption();
    MatrixXf result = unwritten_matrix<float>(a.rows(), b.cols());
    const auto rows = static_cast<blasint>(a.rows());
    gemm(CblasNoTrans, CblasNoTrans, rows, static_cast<blasint>(b.cols()),
         static_cast<blasint>(a.cols()), a.data(), rows, b.data(), static_cast<blasint>(b.rows()),
         result.data(), rows);
    return result;
}

// The diagonal of V^T B V. A quadratic form is that of the lower triangle with entries doubled
// below the diagonal: half of the work.
VectorXd forms_in_floats(const MatrixXf& v, const MatrixXd& b) {
    check_interruption();
    MatrixXf doubled = (2.0 * b).cast<float>();
    doubled.diagonal() *= 0.5F;
    MatrixXf result = v;
    const auto order = static_cast<blasint>(b.rows());
    cblas_strmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, order,
                static_cast<blasint>(v.cols()), 1.0F, doubled.data(), order, result.data(), order);
    return v.cwiseProduct(result).cast<double>().colwise().sum();
}

MatrixXd symmetric_part(const MatrixXd& a) {
    return 0.5 * (a + a.transpose());
}

}  // namespace

Eigenbasis::Eigenbasis(const MatrixXd& symmetric, Precision precision) {
    if (precision == Precision::full) {
        EigenDecomposition eigen = eigen_decomposition(symmetric);
        values_ = std::move(eigen.values);
        vectors_ = std::move(eigen.vectors);
    } else {
        Tridiagonal<float> tridiagonal(symmetric);
        values_ = tridiagonal.values();
        vectors_ = std::move(tridiagonal).vectors();
    }
}

VectorXd Eigenbasis::diagonal_along(const MatrixXd& b) const {
    if (values_.size() == 0) {
        return {};
    }
    if (b.isDiagonal(0.0)) {
        return diagonal_along_of(b.diagonal());
    }
    return std::visit(Either{[&](const MatrixXd& v) -> VectorXd {
                                 return v.cwiseProduct(product(b, v)).colwise().sum();
                             },
                             [&](const MatrixXf& v) -> VectorXd { return forms_in_floats(v, b); }},
                      vectors_);
}

VectorXd Eigenbasis::diagonal_along_of(const VectorXd& entries) const {
    if (values_.size() == 0) {
        return {};
    }
    return std::visit(
        [&](const auto& v) -> VectorXd {
            VectorXd along(v.cols());
            for (Eigen::Index j = 0; j < v.cols(); ++j) {
                along[j] = entries.dot(v.col(j).cwiseAbs2().template cast<double>());
            }
            return along;
        },
        vectors_);
}

MatrixXd Eigenbasis::turned_into(const MatrixXd& b) const {
    return std::visit(Either{[&](const MatrixXd& v) -> MatrixXd {
                                 return symmetric_part(product(v.transpose(), product(b, v)));
                             },
                             [&](const MatrixXf& v) -> MatrixXd {
                                 const MatrixXf half = product_in_floats(b.cast<float>(), v);
                                 return symmetric_inner_product(v, half).cast<double>();
                             }},
                      vectors_);
}

MatrixXd Eigenbasis::turned_back(const MatrixXd& b) const {
    return std::visit(Either{[&](const MatrixXd& v) -> MatrixXd {
                                 const MatrixXd transposed = v.transpose();
                                 return symmetric_part(product(v, product(b, transposed)));
                             },
                             [&](const MatrixXf& v) -> MatrixXd {
                                 const MatrixXf half = product_in_floats(v, b.cast<float>());
                                 return symmetric_outer_product(half, v, v.cols()).cast<double>();
                             }},
                      vectors_);
}

MatrixXd Eigenbasis::assembled(const VectorXd& values) const {
    return std::visit(
        [&](const auto& v) -> MatrixXd {
            return sum_of_projections(v, values).template cast<double>();
        },
        vectors_);
}

void Eigenbasis::add_assembled(MatrixXd& to, const VectorXd& values) const {
    std::visit([&](const auto& v) { to += sum_of_projections(v, values).template cast<double>(); },
               vectors_);
}

}  // namespace dpcov::detail
