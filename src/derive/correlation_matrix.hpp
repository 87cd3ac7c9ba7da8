// From a covariance to the correlations of its columns.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// One over the deviation of each column; 0 where the variance is 0 or below.
[[nodiscard]] Eigen::VectorXd inverse_deviations(const Eigen::MatrixXd& covariance);

/// C_ij / sqrt(C_ii C_jj), 0 where a variance is 0 or below. Not cut off at 1. Throws UsageError
/// where it is beyond all range: of numbers that are no covariance.
[[nodiscard]] Eigen::MatrixXd standardized(const Eigen::MatrixXd& covariance);

/// A valid correlation matrix where `covariance` is positive semidefinite: of a column without any
/// variance it is zero with all others.
[[nodiscard]] Eigen::MatrixXd correlation_of(const Eigen::MatrixXd& covariance);

/// Of the entries off the diagonal of a symmetric matrix; of two columns at least.
[[nodiscard]] double root_mean_square_of_pairs(const Eigen::MatrixXd& matrix);

}  // namespace dpcov::detail
