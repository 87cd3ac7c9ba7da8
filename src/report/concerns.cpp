#include "dpcov/concerns.hpp"

#include <cmath>
#include <optional>
#include <variant>

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

// Whether the noise on the trace, as Gaussian noise on the matrix of that error has it, is little
// of the squared norm bound. An estimate of the error is zero where noise is all there is. Where
// none is known, nothing speaks against it.
bool is_believed(const Release& release) {
    if (!release.estimated_frobenius_error) {
        return true;
    }
    const auto d = static_cast<double>(release.covariance.rows());
    const double noise = *release.estimated_frobenius_error * std::sqrt(2.0 / (d + 1.0)) /
                         (release.norm_bound * release.norm_bound);
    return noise > 0.0 && noise < little_noise;
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
        release.share_of_norm_bound < mostly_noise && is_believed(release)) {
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
