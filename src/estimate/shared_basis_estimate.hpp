// A stratum's estimate in the eigenbasis of the prior. Derivation: docs/algorithms.md#shared-basis.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "dpcov/statistics.hpp"
#include "estimate/noisy_stratum.hpp"
#include "estimate/stratum_estimate.hpp"
#include "estimate/tuning.hpp"

namespace dpcov::detail {

/// For a stratum that the prior fits; `rows` in all strata together. Its error is what the model
/// of the shared basis expects, moved to near Stein's unbiased risk estimate. One
/// eigendecomposition at most. None where the nearest multiple of the prior is not worth its price,
/// where nothing is better than zero, or where Stein's estimate refutes the model.
[[nodiscard]] std::optional<StratumEstimate> shared_basis_estimate(const NoisyStratum& stratum,
                                                                   const Eigen::MatrixXd& prior,
                                                                   double rows, NoiseShape noise,
                                                                   const SquaredErrors& error,
                                                                   const Tuning& tuning);

}  // namespace dpcov::detail
