// The equations of a regression, as a release tells them. Derivation: docs/deriving.md#regression.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "derive/noisy_covariance.hpp"
#include "dpcov/release.hpp"
#include "regression/linear_regression.hpp"

namespace dpcov::detail {

// In all of these the features come first, the target last.

/// As if noise were the same in every direction: on average what it is in b. An error in the number
/// of rows multiplies all entries of the second moment alike, which moves no coefficient; but it
/// moves m m^T by twice as much.
[[nodiscard]] NoisyRegression regression_of(NoisyCovariance noisy);

/// Along the features' mean m noise is more than across it: an error e in the mean of a column
/// moves m m^T by e m^T + m e^T, and b by as much along m as m is long. Where bounds are wide m is,
/// and nothing varies along it: least squares would take that noise for a relation. A common factor
/// on the number of rows, or on the mean, moves b along m, too, but of A nothing across m.
[[nodiscard]] NoisyRegression with_uneven_noise(const NoisyCovariance& noisy);

/// Of a release whose noise has no known law: the estimate as if all of its error were noise, and
/// where that is not known either, as if it had some multiple of what supposed_noise_deviation()
/// says.
[[nodiscard]] NoisyRegression regression_of_estimate(const Release& release,
                                                     const std::vector<Eigen::Index>& columns);

/// The noisy means about the middles of the columns' bounds, in units of the statistics; none
/// without a mean or without bounds.
[[nodiscard]] std::optional<Eigen::VectorXd> means_about_middles(
    const Release& release, const NoisyCovariance& noisy, const std::vector<Eigen::Index>& columns);

}  // namespace dpcov::detail
