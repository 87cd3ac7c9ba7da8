// Whether a stratum is a multiple of the prior, but for noise and the sampling of rows.
#pragma once

#include <Eigen/Core>

#include "dpcov/statistics.hpp"
#include "estimate/noisy_stratum.hpp"
#include "estimate/tuning.hpp"

namespace dpcov::detail {

/// The multiple >= 0 of the prior that is nearest to the matrix.
[[nodiscard]] double nearest_multiple(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& prior);

/// Whether what the stratum holds beside that multiple passes for noise and for the sampling error
/// of rows drawn like those of the prior; `rows` in all strata together. What the prior itself has
/// wrong excuses nothing: a prior of which little is known must not hide a stratum seen well.
[[nodiscard]] bool prior_fits(const NoisyStratum& stratum, const Eigen::MatrixXd& prior,
                              double rows, NoiseShape noise, const Tuning& tuning);

}  // namespace dpcov::detail
