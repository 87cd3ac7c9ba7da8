// What the derived estimates share: columns' units, empty intervals, reasons.
#pragma once

#include <Eigen/Core>
#include <string>

#include "arithmetic/in_units.hpp"
#include "dpcov/derive.hpp"

namespace dpcov::detail {

/// UsageError unless 0 < level < 1.
void check_level(double level);

/// Up to which squares are finite. What is released at any norm bound that there can be is far
/// below.
inline constexpr double greatest_value = 0x1p500;

/// UsageError unless all parts of a release are of one number of columns, at least 1, and their
/// numbers are finite and in the range of a release's: others would come to the eigenvalues, which
/// do not converge.
void check_parts(const Release& release);

/// What a mapped distance of 1 is in the table, for each column (in_table_units).
[[nodiscard]] Eigen::VectorXd units_of_columns(const Release& release);

/// What a mapped value of 0 is, before the origin was subtracted.
[[nodiscard]] Eigen::VectorXd midpoints_of_columns(const Release& release);

/// What the sums were divided by: n, or the noisy n.
[[nodiscard]] double rows_of(const Release& release);

/// The variance of the noise on a diagonal entry of the sum of all strata's second moments.
[[nodiscard]] double noise_variance_of(const Statistics& statistics);

/// What was subtracted from mapped rows.
[[nodiscard]] Eigen::VectorXd origin_of(const Release& release);

/// What they were multiplied by then.
[[nodiscard]] Eigen::VectorXd stretch_of(const Release& release);

/// What a distance of 1 in the statistics is in the table, for each column.
[[nodiscard]] Eigen::VectorXd units_of_statistics(const Release& release);

/// What a 0 in the statistics is in the table: midpoint or 0, and the origin.
[[nodiscard]] Eigen::VectorXd origin_in_table(const Release& release);

/// The estimated covariance in units of the statistics, whatever the release's are.
[[nodiscard]] Eigen::MatrixXd covariance_as_summed(const Release& release);

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

/// Without intervals: NaN.
[[nodiscard]] MatrixEstimate without_intervals(Eigen::MatrixXd estimate);
[[nodiscard]] VectorEstimate without_intervals(Eigen::VectorXd estimate);

/// Why a release has none.
[[nodiscard]] std::string why_no_intervals(const Release& release);

/// Of the entries (i, j) and (j, i).
void set_symmetric(MatrixEstimate& estimate, Eigen::Index i, Eigen::Index j,
                   const Interval& interval);

}  // namespace dpcov::detail
