// Which columns a release has seen to vary: the others have no correlations.
#pragma once

#include <Eigen/Core>
#include <string>

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// A flag for each column.
using ColumnFlags = Eigen::Array<bool, Eigen::Dynamic, 1>;

/// Whether its estimated variance is more than 0.15 deviations of its noise, times the root of the
/// share of directions that the estimate is of; more than zero where no noise is known. The noise
/// is that of the sum of strata with the least (weighed_covariance), but for how long that is, or
/// that of the strata in which something shows, if that is less. Less is what noise leaves of a
/// constant, and a quotient by it would be noise alone (docs/derived.md#constant-columns).
[[nodiscard]] ColumnFlags seen_to_vary(const Release& release);

/// The matrix with zeros in the rows and columns that have no flag.
[[nodiscard]] Eigen::MatrixXd of_flagged(const Eigen::MatrixXd& matrix, const ColumnFlags& flags);

/// A sentence with the names of the columns that have no flag; empty where all have one.
[[nodiscard]] std::string about_constant_columns(const Release& release, const ColumnFlags& varies);

}  // namespace dpcov::detail
