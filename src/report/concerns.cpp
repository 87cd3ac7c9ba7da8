#include "dpcov/concerns.hpp"

#include <cmath>
#include <optional>
#include <variant>

#include "derive/supposed_noise.hpp"
#include "dpcov/schema.hpp"

namespace dpcov {
namespace {

/// A norm bound may be a hundredth more than the longest row (norm_bound_for_unit).
constexpr double needlessly_long = 1.02;
/// A table in which nine rows in ten fill the bound, and the others nearly.
constexpr double at_the_bound = 0.95;
/// No rows have more than 1; what is far above it says nothing of them.
constexpr double mostly_noise = 1.5;

/// What noise may move the share by, where it is still believed.
constexpr double little_noise = 0.1;

// The deviation of the noise on the trace, over the squared norm bound: by the statistics, or else
// by what the budget buys.
double noise_of_share(const Release& release) {
    const auto d = static_cast<double>(release.covariance.rows());
    double variance = 0.0;
    for (const NoisyMoment& stratum : release.statistics.strata) {
        variance += stratum.noise_scale * stratum.noise_scale;
    }
    const double deviation = variance > 0.0 ? std::sqrt(variance)
                             : release.rows || release.noisy_rows
                                 ? detail::supposed_noise_deviation(release)
                                 : 0.0;
    return deviation * std::sqrt(d) / (release.norm_bound * release.norm_bound);
}

// Of n releases with one such chance each, one gives somebody's row away.
bool has_great_delta(const Release& release) {
    const auto* approximate = std::get_if<ApproximateDp>(&release.definition);
    return approximate != nullptr && release.rows &&
           approximate->delta.value() * static_cast<double>(*release.rows) >= 1.0;
}

}  // namespace

std::vector<Concern> concerns_of(const Release& release) {
    std::vector<Concern> concerns;
    if (release.worse_than_zero && !release.zero) {
        concerns.push_back(Concern::worse_than_zero);
    }
    const std::optional<double> longest = implied_norm_bound(
        release.schema, {release.origin.data(), static_cast<std::size_t>(release.origin.size())});
    if (longest && release.norm_bound > needlessly_long * *longest) {
        concerns.push_back(Concern::norm_bound_too_long);
    }
    const bool may_clip = !longest || release.norm_bound < *longest;
    if (may_clip && release.share_of_norm_bound > at_the_bound &&
        release.share_of_norm_bound < mostly_noise && noise_of_share(release) < little_noise) {
        concerns.push_back(Concern::rows_at_norm_bound);
    }
    if (has_great_delta(release)) {
        concerns.push_back(Concern::delta_not_small);
    }
    if (!release.secure_randomness) {
        concerns.push_back(Concern::not_private);
    }
    return concerns;
}

}  // namespace dpcov
