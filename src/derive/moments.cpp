// Covariance and mean, entry by entry.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "derive/column_units.hpp"
#include "derive/intervals.hpp"
#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"
#include "derive/parts_check.hpp"
#include "derive/sampling.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"

namespace dpcov {

using detail::NoisyCovariance;

namespace {

// What a value of the statistics is never beyond, on either side; so a covariance is never beyond
// the product of two. Bounds tell it, and the norm bound.
Eigen::ArrayXd greatest_values(const Release& release) {
    const double longest = detail::longest_value(release);
    Eigen::ArrayXd greatest = Eigen::ArrayXd::Constant(release.covariance.rows(), longest);
    // About a mean the origin does not matter.
    const Eigen::VectorXd origin = detail::origin_of(release);
    const Eigen::VectorXd stretch = detail::stretch_of(release);
    for (std::size_t j = 0; j < release.schema.size(); ++j) {
        if (release.schema[j].bounds) {
            const auto column = static_cast<Eigen::Index>(j);
            const double offset = release.centered ? 0.0 : std::fabs(origin[column]);
            greatest[column] = std::fmin(greatest[column], (1.0 + offset) * stretch[column]);
        }
    }
    return greatest;
}

}  // namespace

MatrixEstimate derive_covariance(const Release& release, double level, IntervalsFor intervals_for) {
    detail::check_level(level);
    detail::check_parts(release);
    MatrixEstimate result = detail::without_intervals(detail::covariance_in_table(release));
    const std::optional<NoisyCovariance> noisy = detail::noisy_covariance(release);
    if (!noisy) {
        result.why = detail::why_no_intervals(release);
        return result;
    }
    const Eigen::VectorXd units = detail::units_of_statistics(release);
    const Eigen::ArrayXd greatest = greatest_values(release);
    const detail::NoiseQuantile quantile(level);
    const detail::NoiseQuantile one_sided = detail::one_sided_quantile(level);
    const auto population = detail::population_of(release, *noisy, intervals_for);
    for (Eigen::Index j = 0; j < noisy->columns(); ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            detail::LinearFunction entry = linear_function(
                *noisy, i, j,
                i == j ? detail::PairWeights{.ii = 1.0} : detail::PairWeights{.ij = 0.5});
            const detail::LinearFunction noise = entry;
            detail::SampledMean sampled;
            if (population) {
                sampled = detail::sampled_entry(*population, i, j);
                entry = detail::with_sampling(entry, sampled.variance);
            }
            const double unit = units[i] * units[j];
            const double z = quantile.with(entry.excess_kurtosis);
            const detail::Reach reach = reach_of(noise, z);
            if (std::isinf(reach.above)) {
                result.why = detail::rows_may_be_none;
            }
            const double most = greatest[i] * greatest[j];
            const double least = i == j ? 0.0 : -most;  // a variance is not below zero
            const Interval about =
                detail::interval_about(entry.value, noise.variance, reach, sampled, z);
            const auto on_one_side = [&] {
                const detail::Reach nearer = reach_of(noise, one_sided.with(noise.excess_kurtosis));
                return Interval{.lower = noise.value - nearer.below,
                                .upper = noise.value + nearer.above};
            };
            const Interval possible =
                population || !detail::is_near_an_end(about, least, most)
                    ? detail::possible_part(about, least, most)
                    : detail::possible_part(about, on_one_side(), least, most);
            detail::set_symmetric(result, i, j,
                                  {.standard_error = unit * possible.standard_error,
                                   .lower = unit * possible.lower,
                                   .upper = unit * possible.upper});
        }
    }
    return result;
}

namespace {

// What a mean is never below and never above, in the table's units.
std::pair<Eigen::ArrayXd, Eigen::ArrayXd> range_of_means(const Release& release) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const Eigen::Index d = release.covariance.rows();
    Eigen::ArrayXd least = Eigen::ArrayXd::Constant(d, -infinite);
    Eigen::ArrayXd greatest = Eigen::ArrayXd::Constant(d, infinite);
    for (std::size_t j = 0; j < release.schema.size(); ++j) {
        if (const auto& bounds = release.schema[j].bounds) {
            least[static_cast<Eigen::Index>(j)] = bounds->lower;
            greatest[static_cast<Eigen::Index>(j)] = bounds->upper;
        }
    }
    return {least, greatest};
}

// The excess kurtosis of the error e - m h of a noisy mean m. Here e is the noise of the sum, of
// variance v, and h the relative noise of the number of rows; `of_rows` is the variance of m h.
// Under Wishart noise e is an entry off the diagonal of the joint matrix, with half the excess of
// one on it. h is Laplace noise where rows were counted apart; from the same query as the sums it
// has less excess than that.
double excess_kurtosis_of_mean(const Release& release, const NoisyCovariance& noisy, double v,
                               double of_rows) {
    if (v == 0.0) {
        return 0.0;  // no noise of a known law
    }
    const double share = v / (v + of_rows);
    const double rest = 1.0 - share;
    const double own = 0.5 * noisy.excess_kurtosis * share * share;
    if (release.statistics.noise != NoiseShape::wishart) {
        return own;
    }
    return own + 3.0 * rest * rest;  // a Laplace variable's
}

// Of sums t over a noisy number of rows t - mu n (1 + h) is noise, of variance v + h^2 mu^2 over
// n^2: all mu of which z deviations of that may be (Fieller 1954).
Interval interval_of_mean(double mean, double v, double h2, double z) {
    const double a = 1.0 - z * z * h2;
    if (!(a > 0.0)) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        return {.lower = -infinite, .upper = infinite};
    }
    const double reach = z * std::sqrt(h2 * mean * mean + a * v);
    return {.lower = (mean - reach) / a, .upper = (mean + reach) / a};
}

// The same of a population's mean: the variance of sampling may grow with it.
Interval interval_of_sampled_mean(double mean, double v, double h2, double z,
                                  const detail::SampledMean& sampled) {
    const auto reach = [&](double sign, double growth) {
        return detail::farthest(
            z, {.variance = v + h2 * mean * mean, .slope = sign * 2.0 * h2 * mean, .square = h2},
            sampled.variance, growth);
    };
    return {.lower = mean - reach(-1.0, sampled.growth_below),
            .upper = mean + reach(1.0, sampled.growth_above)};
}

}  // namespace

VectorEstimate derive_mean(const Release& release, double level, IntervalsFor intervals_for) {
    detail::check_level(level);
    detail::check_parts(release);
    if (!release.mean) {
        throw UsageError(release.centered
                             ? "this release has no mean: no noisy statistic was drawn"
                             : "this release has no mean: it was made without centring");
    }
    VectorEstimate result = detail::without_intervals(*detail::mean_in_table(release));
    const std::optional<NoisyCovariance> noisy = detail::noisy_covariance(release);
    if (!noisy) {
        result.why = detail::why_no_intervals(release);
        return result;
    }
    const Eigen::VectorXd units = detail::units_of_statistics(release);
    const Eigen::ArrayXd origin = detail::origin_in_table(release);
    const double v = noisy->mean_noise_variance;
    const double h2 = noisy->relative_rows_variance;
    const Eigen::ArrayXd of_rows = h2 * noisy->mean.array().square();
    const auto population = detail::population_of(release, *noisy, intervals_for);
    result.standard_error = result.lower = result.upper = Eigen::VectorXd::Zero(units.size());
    const detail::NoiseQuantile quantile(level);
    const detail::NoiseQuantile one_sided = detail::one_sided_quantile(level);
    const double longest = detail::longest_value(release);
    const auto [range_lower, range_upper] = range_of_means(release);
    for (Eigen::Index j = 0; j < units.size(); ++j) {
        const detail::SampledMean sampled =
            population ? detail::sampled_mean(*population, j) : detail::SampledMean();
        const detail::LinearFunction mean = detail::with_sampling(
            {.value = noisy->mean[j],
             .variance = v + of_rows[j],
             .excess_kurtosis = excess_kurtosis_of_mean(release, *noisy, v, of_rows[j])},
            sampled.variance);
        result.standard_error[j] = units[j] * std::sqrt(mean.variance);
        const double z = quantile.with(mean.excess_kurtosis);
        const Interval about = population ? interval_of_sampled_mean(mean.value, v, h2, z, sampled)
                                          : interval_of_mean(mean.value, v, h2, z);
        if (std::isinf(about.upper)) {
            result.why = detail::rows_may_be_none;
        }
        const auto in_table = [&, j](const Interval& of_statistics) {
            return Interval{.standard_error = result.standard_error[j],
                            .lower = origin[j] + units[j] * of_statistics.lower,
                            .upper = origin[j] + units[j] * of_statistics.upper};
        };
        const double least = std::fmax(range_lower[j], origin[j] - units[j] * longest);
        const double most = std::fmin(range_upper[j], origin[j] + units[j] * longest);
        const double nearer = one_sided.with(mean.excess_kurtosis);
        const Interval possible =
            population ? detail::possible_part(in_table(about), least, most)
                       : detail::possible_part(
                             in_table(about), in_table(interval_of_mean(mean.value, v, h2, nearer)),
                             least, most);
        result.lower[j] = possible.lower;
        result.upper[j] = possible.upper;
    }
    return result;
}

}  // namespace dpcov
