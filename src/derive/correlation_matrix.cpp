#include "derive/correlation_matrix.hpp"

#include <cmath>

#include "arithmetic/in_units.hpp"
#include "dpcov/error.hpp"

namespace dpcov::detail {

Eigen::VectorXd inverse_deviations(const Eigen::MatrixXd& covariance) {
    const Eigen::ArrayXd deviations = covariance.diagonal().cwiseMax(0.0).cwiseSqrt().array();
    return (deviations > 0.0).select(1.0 / deviations, 0.0);
}

Eigen::MatrixXd standardized(const Eigen::MatrixXd& covariance) {
    Eigen::MatrixXd matrix = in_units(covariance, inverse_deviations(covariance));
    matrix.array() += 0.0;                   // no -0 where a column does not vary
    constexpr double far_too_great = 1e100;  // so that squares are not infinite either
    if (!(matrix.array().abs() < far_too_great).all()) {
        throw UsageError(
            "this is no release: two of its columns vary together by far more than each of them "
            "varies");
    }
    return matrix;
}

Eigen::MatrixXd correlation_of(const Eigen::MatrixXd& covariance) {
    Eigen::MatrixXd matrix = standardized(covariance).cwiseMax(-1.0).cwiseMin(1.0);
    matrix.diagonal().setOnes();
    return matrix;
}

double root_mean_square_of_pairs(const Eigen::MatrixXd& matrix) {
    const auto d = static_cast<double>(matrix.rows());
    const double squares = matrix.squaredNorm() - matrix.diagonal().squaredNorm();
    return std::sqrt(squares / (d * (d - 1.0)));
}

}  // namespace dpcov::detail
