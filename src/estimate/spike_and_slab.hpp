// A number behind Gaussian noise that may well be zero. Derivation: docs/algorithms.md#faint.
#pragma once

namespace dpcov::detail {

/// What is believed of theta.
struct SpikeAndSlab {
    double presence = 0.0;  ///< chance that theta is not zero
    double mean = 0.0;      ///< of theta, the spike at zero included
    double variance = 0.0;  ///< likewise
};

/// The posterior of theta >= 0, seen as x = theta + N(0, s^2). The prior: zero, or, with the chance
/// `presence` < 1, the density exp(-theta / slab) / slab over theta > 0.
[[nodiscard]] SpikeAndSlab spike_and_slab_posterior(double x, double s, double presence,
                                                    double slab);

enum class Sign { positive, either };

/// The same of a theta of unknown size: the slab is `greatest`, or an eighth, or a 64th of it, each
/// as likely; and of unknown sign, where that may be either, each as likely.
[[nodiscard]] SpikeAndSlab posterior_of_any_size(double x, double s, double presence,
                                                 double greatest, Sign sign);

}  // namespace dpcov::detail
