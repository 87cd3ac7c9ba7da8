#include "dpcov/concerns.hpp"

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "derive/column_units.hpp"
#include "derive/noise_of_release.hpp"
#include "derive/parts_check.hpp"
#include "derive/supposed_noise.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/schema.hpp"
#include "privacy/small_delta.hpp"
#include "tables/called_columns.hpp"
#include "tables/norm_bounds.hpp"

namespace dpcov {
namespace {

/// A table in which nine rows in ten fill the bound, and the others nearly.
constexpr double at_the_bound = 0.95;
/// No rows have more than 1; what is far above it says nothing of them.
constexpr double mostly_noise = 1.5;

/// Of guesses about one row that are right. By Gaussian noise of rho 19, or pure epsilon 6.9.
constexpr double hiding_nobody = 0.999;

/// What noise may move the share by, where it is still believed.
constexpr double little_noise = 0.1;

// The deviation of the noise on the trace, over the squared norm bound: by the statistics, or else
// by what the budget buys.
double noise_of_share(const Release& release) {
    const auto d = static_cast<double>(release.covariance.rows());
    const double variance = detail::noise_variance_of(release.statistics);
    const double deviation = variance > 0.0 ? std::sqrt(variance)
                             : release.rows || release.noisy_rows
                                 ? detail::supposed_noise_deviation(release)
                                 : 0.0;
    return deviation * std::sqrt(d) / (release.norm_bound * release.norm_bound);
}

// The squared mean about the midpoints over the trace of the covariance. Above this, errors of two
// passes were at most two thirds of those of one in 55 of 62 cells of 14 tables
// (docs/research-log.md#far-from-midpoints).
constexpr double far_apart = 2.0;
/// And over the noise on a mean, taken to be that of a second moment over the norm bound, which is
/// what is known without statistics: six deviations. Of rows in the middle 9 to 89 of 300 releases
/// were told of with two in ten settings, 0 to 16 with four.
constexpr double clearly = 36.0;
/// A column's variance over the greatest beside its mean, from where on values are taken to come
/// near both bounds, as of zeros and ones: tighter ones, or two passes, are no help to it.
constexpr double fills_its_bounds = 0.5;

// In [-1, 1], but for noise.
Eigen::VectorXd mapped_mean(const Release& release) {
    return release.table_units ? (*release.mean - detail::midpoints_of_columns(release))
                                     .cwiseQuotient(detail::units_of_columns(release))
                               : *release.mean;
}

bool is_far_from_midpoints(const Release& release) {
    if (!release.centered || !release.mean || !has_bounds(release.schema) ||
        release.origin.size() > 0 || release.stretch.size() > 0 ||
        !find_method(release.method).reads_twice || release.variant != Variant::best) {
        return false;
    }
    const Eigen::ArrayXd mean = mapped_mean(release).array();
    Eigen::ArrayXd variances = release.covariance.diagonal();
    if (release.table_units) {
        variances /= detail::units_of_columns(release).array().square();
    }
    const double noise = detail::supposed_noise_deviation(release) / release.norm_bound;
    const auto could_fit_better = variances < fills_its_bounds * (1.0 - mean.square());
    const double squared_length = could_fit_better.select(mean.square(), 0.0).sum();
    return squared_length > clearly * static_cast<double>(mean.size()) * noise * noise &&
           squared_length > far_apart * variances.sum();
}

/// Deviations of the supposed noise within which no row was seen to have a one: a rare value is no
/// mistake. With three, 3 and 4 of 200 releases by auto did not tell of two values that no row has.
constexpr double within_noise = 4.0;

// Of zeros and ones: a value that is written in another way than in the table makes zeros of all
// rows, and so does a fill where the column holds text.
bool may_be_zero_by_mistake(const Column& column) {
    return column.fill == 0.0 || is_called_indicator(column);
}

}  // namespace

std::vector<ColumnAtBound> columns_at_bound(const Release& release) {
    detail::check_parts(release);
    constexpr double near = 0.01;  // of half the range
    std::vector<ColumnAtBound> found;
    if (!release.mean || !has_bounds(release.schema)) {
        return found;
    }
    const double noise = detail::supposed_noise_deviation(release) / release.norm_bound;
    if (noise >= near) {
        return found;
    }
    const Eigen::VectorXd mapped = mapped_mean(release);
    for (Eigen::Index j = 0; j < mapped.size(); ++j) {
        const Column& column = release.schema[static_cast<std::size_t>(j)];
        const ColumnBounds& bounds = *column.bounds;
        const double bound = mapped[j] > 0.0 ? bounds.upper : bounds.lower;
        const double distance = 1.0 - std::fabs(mapped[j]);
        const bool tells_yes_or_no = bounds.lower == 0.0 && bounds.upper == 1.0;
        const bool by_mistake = bound == 0.0 && tells_yes_or_no && may_be_zero_by_mistake(column) &&
                                distance < within_noise * noise;
        if (distance < near && ((bound != 0.0 && !tells_yes_or_no) || by_mistake)) {
            found.push_back({j, bound});
        }
    }
    return found;
}

std::optional<double> longest_row(const Release& release) {
    const auto values = [](const Eigen::VectorXd& some) {
        return std::span(some.data(), static_cast<std::size_t>(some.size()));
    };
    return implied_norm_bound(release.schema, values(release.origin), values(release.stretch));
}

std::vector<Concern> concerns_of(const Release& release) {
    detail::check_parts(release);
    std::vector<Concern> concerns;
    if (release.worse_than_zero && !release.zero) {
        concerns.push_back(Concern::worse_than_zero);
    }
    const std::optional<double> longest = longest_row(release);
    if (longest && release.norm_bound > detail::needlessly_long * *longest) {
        concerns.push_back(Concern::norm_bound_too_long);
    }
    const bool may_clip = !longest || release.norm_bound < *longest;
    if (may_clip && release.share_of_norm_bound > at_the_bound &&
        release.share_of_norm_bound < mostly_noise && noise_of_share(release) < little_noise) {
        concerns.push_back(Concern::rows_at_norm_bound);
    }
    if (is_far_from_midpoints(release)) {
        concerns.push_back(Concern::far_from_midpoints);
    }
    if (!columns_at_bound(release).empty()) {
        concerns.push_back(Concern::values_at_bound);
    }
    if (release.rows && !detail::is_small_delta(release.definition, *release.rows)) {
        concerns.push_back(Concern::delta_not_small);
    }
    if (release.secure_randomness && !release.stages.empty() &&
        best_guess(release.definition, release.curve) >= hiding_nobody) {
        concerns.push_back(Concern::hides_nobody);
    }
    if (!release.secure_randomness) {
        concerns.push_back(Concern::not_private);
    }
    return concerns;
}

}  // namespace dpcov
