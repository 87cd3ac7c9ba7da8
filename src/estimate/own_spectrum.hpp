// A stratum's estimate by its own eigenvalues. Derivation: docs/algorithms.md#shrinkage.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "estimate/noise_spectrum.hpp"
#include "estimate/stratum_estimate.hpp"
#include "estimate/tuning.hpp"

namespace dpcov::detail {

/// Shrinks the eigenvalues of `noisy` in several ways, and mixes these candidates with `others`.
/// One eigendecomposition. None where nothing is better than zero.
[[nodiscard]] std::optional<StratumEstimate> own_spectrum_estimate(const Eigen::MatrixXd& noisy,
                                                                   const NoiseSpectrum& noise,
                                                                   std::vector<Candidate> others,
                                                                   const SquaredErrors& error,
                                                                   const Tuning& tuning);

}  // namespace dpcov::detail
