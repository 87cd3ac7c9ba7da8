#include "derive/noise_of_release.hpp"

#include <numeric>

namespace dpcov::detail {

double noise_variance_of(const Statistics& statistics) {
    return std::accumulate(statistics.strata.begin(), statistics.strata.end(), 0.0,
                           [](double sum, const NoisyMoment& stratum) {
                               return sum + stratum.noise_scale * stratum.noise_scale;
                           });
}

double rows_of(const Release& release) {
    return static_cast<double>(release.rows ? *release.rows : release.noisy_rows.value_or(1));
}

}  // namespace dpcov::detail
