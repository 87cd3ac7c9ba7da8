#include <cmath>
#include <utility>

#include "arithmetic/in_units.hpp"
#include "derive/parts_check.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "estimate/about_mean.hpp"
#include "estimate/covariance_estimate.hpp"
#include "mechanism/catalogue.hpp"
#include "mechanism/feasible_estimate.hpp"

namespace dpcov {
namespace {

Eigen::MatrixXd about_zero(const Release& release) {
    const Statistics& statistics = release.statistics;
    if (release.zero == ZeroReason::baseline || release.zero == ZeroReason::undetectable) {
        return Eigen::MatrixXd::Zero(release.covariance.rows(), release.covariance.cols());
    }
    if (statistics.strata.empty()) {
        throw UsageError("this release of method " + release.method +
                         " holds no statistics to estimate the covariance from");
    }
    if (detail::is_of_strata(release)) {
        return detail::estimate_of_strata(statistics, release.covariance.rows(), release.norm_bound)
            .covariance;
    }
    const NoisyMoment& all_rows = statistics.strata.front();
    if (statistics.noise == NoiseShape::gaussian) {
        return detail::clamped_estimate(all_rows).covariance;
    }
    if (all_rows.mean.size() > 0) {
        return detail::feasible_about_mean(all_rows, release.variant).covariance;
    }
    return detail::feasible_estimate({.matrix = all_rows.second_moment}, release.variant,
                                     {.squared_bound = all_rows.radius * all_rows.radius})
        .covariance;
}

Eigen::MatrixXd of_summed_rows(const Release& release) {
    Eigen::MatrixXd second_moment = about_zero(release);
    const Statistics& statistics = release.statistics;
    if (!statistics.mean) {
        return second_moment;
    }
    return detail::clamped(
        detail::about_mean(second_moment, {*statistics.mean, statistics.mean_noise_scale}),
        release.threshold.value_or(release.norm_bound));
}

}  // namespace

Eigen::MatrixXd estimate_covariance(const Release& release) {
    detail::check_parts(release);
    Release again;
    again.covariance = of_summed_rows(release);
    if (release.stretch.size() > 0) {
        again.covariance = detail::in_units(again.covariance, release.stretch.cwiseInverse());
    }
    if (release.table_units) {
        again.schema = release.schema;
    }
    return in_table_units(std::move(again)).covariance;
}

}  // namespace dpcov
