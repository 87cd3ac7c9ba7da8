// Intervals of a regression: those of least squares on the noisy covariance. Derivation:
// docs/deriving.md#noise-of-equations.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "derive/noisy_covariance.hpp"
#include "derive/sampling.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

/// Sets the intervals of a regression, or says why it has none; `columns`, which `noisy` and
/// `population` are of, are its features and then its target. Without a population they are of the
/// table.
void set_regression_intervals(Regression& regression, const NoisyCovariance& noisy,
                              const std::optional<Population>& population, const Release& release,
                              const std::vector<Eigen::Index>& columns, double level);

}  // namespace dpcov::detail
