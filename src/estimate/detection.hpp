// Whether a stratum is more than noise: by its trace, or by its greatest eigenvalue. Derivation and
// simulations: docs/algorithms.md#detection.
#pragma once

#include <Eigen/Core>

#include "estimate/noise_spectrum.hpp"
#include "estimate/noisy_stratum.hpp"
#include "estimate/tuning.hpp"

namespace dpcov::detail {

/// The trace over the standard deviation of its noise, s sqrt(d).
[[nodiscard]] double trace_z_score(const NoisyStratum& stratum);

/// Whether a trace of that z-score is detected; `first`: while there is no prior.
[[nodiscard]] bool trace_is_detected(double z_score, bool first, const NoiseSpectrum& noise,
                                     const Tuning& tuning);

/// Whether the greatest eigenvalue of the matrix is above the Tracy-Widom quantile of that noise.
[[nodiscard]] bool eigenvalue_is_detected(const Eigen::MatrixXd& matrix, const NoiseSpectrum& noise,
                                          const Tuning& tuning);

/// Whether a matrix of these eigenvalues (d of them) is more than a multiple of the identity and
/// noise: by the greatest, or by the squared norm of what is left.
[[nodiscard]] bool shape_is_detected(const Eigen::VectorXd& eigenvalues, const NoiseSpectrum& noise,
                                     const Tuning& tuning);

/// Whether the sum of all strata, of rows no longer than 1, is more than noise where no stratum by
/// itself was. It is one look in place of many, so less has to show; but the more noise there is,
/// the clearer, for nobody knows how short the rows are.
[[nodiscard]] bool sum_is_detected(const NoisyStratum& sum, const NoiseSpectrum& noise,
                                   const Tuning& tuning);

/// Whether nothing could be detected even if all rows were of norm `radius` = 1 and pointed one
/// way: the trace would be at most `undetectable_z` standard deviations of its noise then, and the
/// eigenvalue below what moves the edge of the noise's spectrum, s sqrt(d / 2). Public: s is the
/// noise scale at that radius.
[[nodiscard]] bool is_provably_undetectable(Eigen::Index d, double s, const Tuning& tuning);

}  // namespace dpcov::detail
