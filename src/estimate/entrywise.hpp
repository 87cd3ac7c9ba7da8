// Candidates in the table's own columns, entry by entry. Shrinkage of the spectrum does not know
// the columns; but many of them vary together with few others, or with none. Post-processing:
// nothing here sees un-noised data. Derivation: docs/algorithms.md#entrywise.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "estimate/candidate.hpp"
#include "estimate/noise_spectrum.hpp"
#include "estimate/tuning.hpp"

namespace dpcov::detail {

/// The diagonal of `noisy` without what is below zero. Under Gaussian noise and up to 256 columns
/// there is another: with the entries beside it, each moved toward zero by `entry_threshold`
/// deviations of its noise, or to zero (Bickel, Levina 2008). Further columns take a product of
/// d x d matrices, for next to no gain.
[[nodiscard]] std::vector<Candidate> entrywise_candidates(const Eigen::MatrixXd& noisy,
                                                          const NoiseSpectrum& noise,
                                                          const Tuning& tuning);

}  // namespace dpcov::detail
