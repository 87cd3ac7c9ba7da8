// A number >= 0 behind Gaussian noise that may well be zero. Derivation: docs/algorithms.md#faint.
#pragma once

namespace dpcov::detail {

/// What is believed of theta >= 0.
struct SpikeAndSlab {
    double presence = 0.0;  ///< chance that theta > 0
    double mean = 0.0;      ///< of theta, the spike at zero included
    double variance = 0.0;  ///< likewise
};

/// The posterior of theta, seen as x = theta + N(0, s^2). The prior: zero, or, with the chance
/// `presence` < 1, the density exp(-theta / slab) / slab over theta > 0.
[[nodiscard]] SpikeAndSlab spike_and_slab_posterior(double x, double s, double presence,
                                                    double slab);

}  // namespace dpcov::detail
