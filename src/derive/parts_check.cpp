#include "derive/parts_check.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/schema.hpp"

namespace dpcov::detail {
namespace {

void check_shapes(const Release& release) {
    const Eigen::Index d = release.covariance.rows();
    const auto fits = [d](const NoisyMoment& stratum) {
        return stratum.second_moment.rows() == d && stratum.second_moment.cols() == d &&
               (stratum.mean.size() == 0 || stratum.mean.size() == d);
    };
    const std::vector<NoisyMoment>& strata = release.statistics.strata;
    if (d < 1 || release.covariance.cols() != d ||
        (!release.schema.empty() && release.schema.size() != static_cast<std::size_t>(d)) ||
        (release.mean && release.mean->size() != d) ||
        (release.origin.size() > 0 && release.origin.size() != d) ||
        (release.stretch.size() > 0 && release.stretch.size() != d) ||
        (release.statistics.mean && release.statistics.mean->size() != d) ||
        !std::all_of(strata.begin(), strata.end(), fits)) {
        throw UsageError(
            "this is no release: its parts are not of one number of columns, at least 1");
    }
}

bool all_in_range(const Eigen::Ref<const Eigen::MatrixXd>& values) {
    return (values.array().abs() < greatest_value).all();  // false for NaN
}

bool all_in_range_if_any(const std::optional<Eigen::VectorXd>& values) {
    return !values || all_in_range(*values);
}

bool is_scale(double value) {
    return value >= 0.0 && value < greatest_value;
}

bool stratum_in_range(const NoisyMoment& stratum) {
    return all_in_range(stratum.second_moment) && all_in_range(stratum.mean) &&
           is_scale(stratum.radius) && is_scale(stratum.noise_scale) &&
           is_scale(stratum.mean_noise_scale);
}

// A release that holds no statistics may leave its norm bound out.
bool is_norm_bound(double value) {
    return value == 0.0 ||
           (value >= limits::least_norm_bound && value <= limits::greatest_norm_bound);
}

// Of statistics, if there are any, sums are divided by it.
bool is_number_of_rows(const Statistics& statistics) {
    const bool none = statistics.strata.empty() && !statistics.mean;
    return is_scale(statistics.rows) && (none || statistics.rows >= 1.0);
}

void check_values(const Release& release) {
    const Statistics& statistics = release.statistics;
    const bool possible =
        all_in_range(release.covariance) && all_in_range_if_any(release.mean) &&
        all_in_range(release.origin) && all_in_range(release.stretch) &&
        is_norm_bound(release.norm_bound) && is_number_of_rows(statistics) &&
        is_scale(statistics.rows_deviation) && all_in_range_if_any(statistics.mean) &&
        is_scale(statistics.mean_noise_scale) &&
        std::all_of(statistics.strata.begin(), statistics.strata.end(), stratum_in_range);
    if (!possible) {
        throw UsageError(
            "this is no release: it holds numbers that are not finite, or out of all range");
    }
    check_schema(release.schema);
}

}  // namespace

void check_level(double level) {
    if (!(level > 0.0 && level < 1.0)) {
        throw UsageError("the level of intervals must be above 0 and below 1, such as 0.95");
    }
}

void check_parts(const Release& release) {
    check_shapes(release);
    check_values(release);
}

}  // namespace dpcov::detail
