#include "derive/shared.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/schema.hpp"

namespace dpcov::detail {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

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

double noise_variance_of(const Statistics& statistics) {
    return std::accumulate(statistics.strata.begin(), statistics.strata.end(), 0.0,
                           [](double sum, const NoisyMoment& stratum) {
                               return sum + stratum.noise_scale * stratum.noise_scale;
                           });
}

Eigen::VectorXd units_of_columns(const Release& release) {
    Eigen::VectorXd units = Eigen::VectorXd::Ones(release.covariance.rows());
    for (Eigen::Index j = 0; const Column& column : release.schema) {
        units[j++] = column.bounds ? column.unit() : 1.0;
    }
    return units;
}

Eigen::VectorXd midpoints_of_columns(const Release& release) {
    Eigen::VectorXd midpoints = Eigen::VectorXd::Zero(release.covariance.rows());
    for (Eigen::Index j = 0; const Column& column : release.schema) {
        midpoints[j++] = column.bounds ? column.midpoint() : 0.0;
    }
    return midpoints;
}

double rows_of(const Release& release) {
    return static_cast<double>(release.rows ? *release.rows : release.noisy_rows.value_or(1));
}

Eigen::VectorXd origin_of(const Release& release) {
    return release.origin.size() > 0 ? release.origin
                                     : Eigen::VectorXd::Zero(release.covariance.rows());
}

Eigen::VectorXd stretch_of(const Release& release) {
    return release.stretch.size() > 0 ? release.stretch
                                      : Eigen::VectorXd::Ones(release.covariance.rows());
}

Eigen::VectorXd units_of_statistics(const Release& release) {
    return units_of_columns(release).cwiseQuotient(stretch_of(release));
}

Eigen::VectorXd origin_in_table(const Release& release) {
    return midpoints_of_columns(release) +
           units_of_columns(release).cwiseProduct(origin_of(release));
}

Eigen::MatrixXd covariance_as_summed(const Release& release) {
    if (!release.table_units && release.stretch.size() == 0) {
        return release.covariance;
    }
    return in_units(release.covariance, release.table_units
                                            ? units_of_statistics(release).cwiseInverse()
                                            : stretch_of(release));
}

Eigen::VectorXd inverse_deviations(const Eigen::MatrixXd& covariance) {
    const Eigen::ArrayXd deviations = covariance.diagonal().cwiseMax(0.0).cwiseSqrt().array();
    return (deviations > 0.0).select(1.0 / deviations, 0.0);
}

Eigen::MatrixXd standardized(const Eigen::MatrixXd& covariance) {
    Eigen::MatrixXd matrix = in_units(covariance, inverse_deviations(covariance));
    constexpr double far_too_great = 1e100;  // so that squares are not infinite either
    if (!(matrix.array().abs() < far_too_great).all()) {
        throw UsageError(
            "this is no release: two of its columns vary together by far more than each of them "
            "varies");
    }
    return matrix;
}

Eigen::MatrixXd correlation_of(const Eigen::MatrixXd& covariance) {
    Eigen::MatrixXd matrix = standardized(covariance).cwiseMax(-1.0).cwiseMin(1.0);
    matrix.diagonal().setOnes();
    return matrix;
}

double root_mean_square_of_pairs(const Eigen::MatrixXd& matrix) {
    const auto d = static_cast<double>(matrix.rows());
    const double squares = matrix.squaredNorm() - matrix.diagonal().squaredNorm();
    return std::sqrt(squares / (d * (d - 1.0)));
}

MatrixEstimate without_intervals(Eigen::MatrixXd estimate) {
    const Eigen::MatrixXd none =
        Eigen::MatrixXd::Constant(estimate.rows(), estimate.cols(), unknown);
    return {.matrix = std::move(estimate), .standard_error = none, .lower = none, .upper = none};
}

VectorEstimate without_intervals(Eigen::VectorXd estimate) {
    const Eigen::VectorXd none = Eigen::VectorXd::Constant(estimate.size(), unknown);
    return {.estimate = std::move(estimate), .standard_error = none, .lower = none, .upper = none};
}

std::string why_no_intervals(const Release& release) {
    if (release.zero == ZeroReason::undetectable || release.zero == ZeroReason::baseline) {
        return "no noisy statistic was drawn: nothing is known of the table";
    }
    return "no intervals are known for releases of method " + release.method + " (variant " +
           std::string(name_of(release.variant)) +
           "); these have some, in variant best: " + methods_where(&Method::has_intervals);
}

void set_symmetric(MatrixEstimate& estimate, Eigen::Index i, Eigen::Index j,
                   const Interval& interval) {
    estimate.standard_error(i, j) = estimate.standard_error(j, i) = interval.standard_error;
    estimate.lower(i, j) = estimate.lower(j, i) = interval.lower;
    estimate.upper(i, j) = estimate.upper(j, i) = interval.upper;
}

}  // namespace dpcov::detail
