#include "estimate/spike_and_slab.hpp"

#include <cmath>
#include <numbers>

namespace dpcov::detail {
namespace {

// Of theta > 0 of the density exp(-theta / slab) / slab, given x.
struct OfSlab {
    double likelihood;  // over that of zero; may be infinite
    double mean;
    double square;  // mean of theta^2
};

OfSlab slab_posterior(double x, double s, double slab) {
    const double shifted = x - s * s / slab;  // theta > 0 given x: N(shifted, s^2) cut off at zero
    const double t = shifted / s;
    constexpr double far = -6.0;
    // phi(t) / Phi(t); where Phi(t) is tiny, to 6 / t^2 of what it is above -t.
    const double hazard = t < far ? -t - 1.0 / t
                                  : std::exp(-0.5 * t * t) / std::sqrt(2.0 * std::numbers::pi) /
                                        (0.5 * std::erfc(-t / std::numbers::sqrt2));
    const double mean = t < far ? -s / t : shifted + s * hazard;
    const double square = t < far ? 2.0 * mean * mean : s * s + shifted * mean;
    // The likelihood is (s / slab) Phi(t) / phi(t).
    return {s / (slab * hazard), mean, square};
}

SpikeAndSlab with_spike(double odds, double mean, double square) {
    const double chance = std::isinf(odds) ? 1.0 : odds / (1.0 + odds);
    const double guess = chance * mean;
    return {.presence = chance,
            .mean = guess,
            .variance = std::fmax(0.0, chance * square - guess * guess)};
}

}  // namespace

SpikeAndSlab spike_and_slab_posterior(double x, double s, double presence, double slab) {
    const OfSlab given = slab_posterior(x, s, slab);
    return with_spike(presence / (1.0 - presence) * given.likelihood, given.mean, given.square);
}

SpikeAndSlab posterior_of_any_size(double x, double s, double presence, double greatest,
                                   Sign sign) {
    constexpr int sizes = 3;
    constexpr double most_likely = 1e100;  // so that a sum of them is finite
    const int signs = sign == Sign::either ? 2 : 1;
    double odds = 0.0;
    double mean = 0.0;
    double square = 0.0;
    for (int k = 0; k < sizes * signs; ++k) {
        const double direction = k < sizes ? 1.0 : -1.0;
        const OfSlab given =
            slab_posterior(direction * x, s, std::ldexp(greatest, -3 * (k % sizes)));
        const double likelihood = std::fmin(given.likelihood, most_likely) / (sizes * signs);
        odds += likelihood;
        mean += direction * likelihood * given.mean;
        square += likelihood * given.square;
    }
    return with_spike(presence / (1.0 - presence) * odds, mean / odds, square / odds);
}

}  // namespace dpcov::detail
