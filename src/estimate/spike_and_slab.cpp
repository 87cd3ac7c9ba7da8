#include "estimate/spike_and_slab.hpp"

#include <cmath>
#include <numbers>

namespace dpcov::detail {

SpikeAndSlab spike_and_slab_posterior(double x, double s, double presence, double slab) {
    const double shifted = x - s * s / slab;  // theta > 0 given x: N(shifted, s^2) cut off at zero
    const double t = shifted / s;
    constexpr double far = -6.0;
    // phi(t) / Phi(t); where Phi(t) is tiny, to 6 / t^2 of what it is above -t.
    const double hazard = t < far ? -t - 1.0 / t
                                  : std::exp(-0.5 * t * t) / std::sqrt(2.0 * std::numbers::pi) /
                                        (0.5 * std::erfc(-t / std::numbers::sqrt2));
    const double mean = t < far ? -s / t : shifted + s * hazard;
    const double square = t < far ? 2.0 * mean * mean : s * s + shifted * mean;
    // The likelihood of some theta > 0 over that of zero is (s / slab) Phi(t) / phi(t).
    const double odds = presence / (1.0 - presence) * s / (slab * hazard);
    const double chance = std::isinf(odds) ? 1.0 : odds / (1.0 + odds);
    const double guess = chance * mean;
    return {.presence = chance,
            .mean = guess,
            .variance = std::fmax(0.0, chance * square - guess * guess)};
}

}  // namespace dpcov::detail
