#include <cmath>

#include "dpcov/derive.hpp"
#include "estimate/noise_spectrum.hpp"

namespace dpcov {

std::optional<double> noise_level(const Release& release) {
    const Statistics& statistics = release.statistics;
    if (!statistics.complete) {
        return std::nullopt;
    }
    double variance = 0.0;
    for (const NoisyMoment& stratum : statistics.strata) {
        variance += stratum.noise_scale * stratum.noise_scale;
    }
    return detail::NoiseSpectrum(statistics.noise, release.covariance.rows(), std::sqrt(variance))
        .edge();
}

}  // namespace dpcov
