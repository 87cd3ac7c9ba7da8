#include <cmath>

#include "derive/shared.hpp"
#include "dpcov/derive.hpp"
#include "estimate/noise_spectrum.hpp"

namespace dpcov {

std::optional<double> noise_level(const Release& release) {
    detail::check_shapes(release);
    const Statistics& statistics = release.statistics;
    double variance = 0.0;
    for (const NoisyMoment& stratum : statistics.strata) {
        variance += stratum.noise_scale * stratum.noise_scale;
    }
    if (!statistics.complete || !(variance > 0.0)) {
        return std::nullopt;
    }
    return detail::NoiseSpectrum(statistics.noise, release.covariance.rows(), std::sqrt(variance))
        .edge();
}

}  // namespace dpcov
