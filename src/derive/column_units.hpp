// What columns' numbers are in the table, and in the statistics.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// What a mapped distance of 1 is in the table, for each column (in_table_units).
[[nodiscard]] Eigen::VectorXd units_of_columns(const Release& release);

/// What a mapped value of 0 is, before the origin was subtracted.
[[nodiscard]] Eigen::VectorXd midpoints_of_columns(const Release& release);

/// What was subtracted from mapped rows.
[[nodiscard]] Eigen::VectorXd origin_of(const Release& release);

/// What they were multiplied by then.
[[nodiscard]] Eigen::VectorXd stretch_of(const Release& release);

/// What a distance of 1 in the statistics is in the table, for each column.
[[nodiscard]] Eigen::VectorXd units_of_statistics(const Release& release);

/// What a 0 in the statistics is in the table: midpoint or 0, and the origin.
[[nodiscard]] Eigen::VectorXd origin_in_table(const Release& release);

/// The norm that no row of the statistics is beyond, and so no value; infinite where the release
/// does not tell.
[[nodiscard]] double longest_value(const Release& release);

/// The most that each column can vary about the mean that is told, whatever the rows: the product
/// of the mean's distances to the two bounds (Bhatia and Davis 2000), in units of the statistics
/// squared. Without a mean, or without bounds, as about the midpoint.
[[nodiscard]] Eigen::VectorXd possible_variances(const Release& release);

/// Whether its covariance and mean are in units of the table already, or no bounds tell of others.
[[nodiscard]] bool is_in_table_units(const Release& release);

/// The covariance as in_table_units() has it, which takes a copy of all statistics as well.
[[nodiscard]] Eigen::MatrixXd covariance_in_table(const Release& release);

/// The mean likewise; none where none was released.
[[nodiscard]] std::optional<Eigen::VectorXd> mean_in_table(const Release& release);

/// The estimated covariance in units of the statistics, whatever the release's are.
[[nodiscard]] Eigen::MatrixXd covariance_as_summed(const Release& release);

}  // namespace dpcov::detail
