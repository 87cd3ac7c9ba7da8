#include "mechanism/release_steps.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "dpcov/error.hpp"
#include "mechanism/mean_within_bounds.hpp"
#include "mechanism/noise.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {

int clip_exponent(const ReleaseOptions& options, const MomentLayout& layout) {
    if (!options.clip || *options.clip == layout.norm_bound) {
        return 0;
    }
    const double clip = *options.clip;
    if (!(clip > 0.0 && clip < layout.norm_bound)) {
        throw UsageError("the clipping norm must be above zero and at most the norm bound");
    }
    int exponent = 0;
    const double mantissa = std::frexp(layout.norm_bound / clip, &exponent);
    const int t = exponent - 1;
    if (mantissa != 0.5 || std::ldexp(clip, t) != layout.norm_bound || t >= NormBins::octaves ||
        !layout.keep_directions) {
        throw UsageError(
            "this second moment cannot be clipped to that norm: it must be the norm bound over a "
            "power of two below 2^" +
            std::to_string(NormBins::octaves) +
            ", and directions must have been kept; or make the moment with that norm bound");
    }
    return t;
}

void require_sum_of_rows(const ReleaseOptions& options, const MomentLayout& layout) {
    if (options.clip && *options.clip != layout.norm_bound) {
        throw UsageError(
            "centring needs the mean of the rows as clipped: make the moment with the clipping "
            "norm as its norm bound, or do not centre");
    }
}

Statistics statistics_of(const CountedMoment& moment, NoiseShape noise) {
    return {.noise = noise, .rows = moment.rows.value, .rows_deviation = moment.rows.deviation};
}

Statistics statistics_of(const CountedMoment& moment, NoiseShape noise, NoisyMoment all_rows) {
    Statistics statistics = statistics_of(moment, noise);
    statistics.complete = true;
    statistics.strata.push_back(std::move(all_rows));
    return statistics;
}

CovarianceEstimate no_estimate(const MomentLayout& layout) {
    const auto d = static_cast<Eigen::Index>(layout.columns);
    return {.covariance = Eigen::MatrixXd::Zero(d, d)};
}

namespace {

Eigen::VectorXd as_vector(const std::vector<double>& values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(),
                                             static_cast<Eigen::Index>(values.size()));
}

}  // namespace

void describe_rows(Release& release, const MomentLayout& layout) {
    release.norm_bound = layout.norm_bound;
    release.origin = as_vector(layout.origin);
    release.stretch = as_vector(layout.stretch);
    release.schema = layout.schema;
    release.dataset = layout.dataset;
}

bool is_far_from_zero(const Eigen::MatrixXd& released, double squared_norm) {
    constexpr double twice_as_long = 4.0;
    return !released.isZero(0.0) && released.squaredNorm() >= twice_as_long * squared_norm;
}

template <class Share>
Release make_release(const CountedMoment& moment, const ReleaseOptions& options,
                     const BudgetMeter<Share>& meter, CovarianceEstimate estimate) {
    Release release;
    describe_rows(release, moment.secret.layout());
    release.covariance = std::move(estimate.covariance);
    (moment.neighbours == Neighbours::replace ? release.rows : release.noisy_rows) =
        static_cast<std::uint64_t>(moment.rows.value);
    release.grid = estimate.grid;
    for (const Stage<Share>& stage : meter.stages()) {
        release.stages.push_back({stage.name, stage.spent, stage.what});
    }
    release.threshold = options.clip;
    release.statistics = estimate.statistics.strata.empty() || !options.keep_statistics
                             ? statistics_of(moment, shape_of(meter.total()))
                             : std::move(estimate.statistics);
    if (estimate.mean) {
        release.mean =
            mean_within_bounds(*std::move(estimate.mean), estimate.mean_deviations, release);
    }
    // What clipping to a public norm took away, nobody has measured.
    if (estimate.estimated_squared_error && !options.clip) {
        // To first order a noisy n moves the matrix by its own relative error.
        const double scaling =
            moment.rows.deviation / moment.rows.value * release.covariance.norm();
        // No covariance is longer than the squared norm bound, however long noise is.
        const auto root = [&](double squared_error) {
            return std::fmin(std::sqrt(std::fmax(0.0, squared_error + scaling * scaling)),
                             release.covariance.norm() + std::pow(release.norm_bound, 2));
        };
        const double error = root(*estimate.estimated_squared_error);
        release.estimated_frobenius_error = error;
        if (estimate.squared_error_of_hidden_rows) {
            release.hidden_rows_error = root(*estimate.squared_error_of_hidden_rows);
        }
        const double squared_norm =
            std::fmin(estimate.estimated_squared_norm.value_or(release.covariance.squaredNorm()),
                      std::pow(release.norm_bound, 4));
        release.worse_than_zero = error > 0.0 && error * error >= squared_norm;
    } else if (estimate.estimated_squared_norm && !options.clip) {
        release.worse_than_zero =
            is_far_from_zero(release.covariance, *estimate.estimated_squared_norm);
    }
    return release;
}

template Release make_release(const CountedMoment&, const ReleaseOptions&, const RhoMeter&,
                              CovarianceEstimate);
template Release make_release(const CountedMoment&, const ReleaseOptions&, const EpsilonMeter&,
                              CovarianceEstimate);

}  // namespace dpcov::detail
