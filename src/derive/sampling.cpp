#include "derive/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "derive/column_units.hpp"

namespace dpcov::detail {
namespace {

// A value is at most so far above or below the mean.
Eigen::ArrayXd farthest_of(const Population& population) {
    return population.above.max(population.below);
}

// Of a number with that variance, within so much of its mean on this side and on the other, the
// third central moment is at most the variance times this. The variance grows with the mean as
// the third moment is to it. (No variance is above the product of both.)
double greatest_skew(double here, double other, double variance) {
    if (std::isinf(here)) {
        return here;
    }
    return here > 0.0 ? here - std::fmin(variance / here, other) : 0.0;
}

SampledMean of_draw(double variance, double above, double below, double rows) {
    return {.variance = variance / rows,
            .growth_above = greatest_skew(above, below, variance) / rows,
            .growth_below = greatest_skew(below, above, variance) / rows};
}

// The greatest t with t^2 <= z^2 (variance + slope t + square t^2).
double greatest_root(double z, const NoiseAtDistance& error) {
    const double rest = 1.0 - z * z * error.square;
    if (!(rest > 0.0)) {
        return std::numeric_limits<double>::infinity();
    }
    const double half = 0.5 * z * z * error.slope;
    return (half + std::sqrt(half * half + rest * z * z * error.variance)) / rest;
}

}  // namespace

Population Population::of(const std::vector<Eigen::Index>& columns) const {
    Population some = *this;
    some.above = above(columns);
    some.below = below(columns);
    some.variances = variances(columns);
    some.covariance = covariance(columns, columns);
    return some;
}

std::optional<Population> population_of(const Release& release, const NoisyCovariance& noisy,
                                        IntervalsFor intervals_for) {
    if (intervals_for == IntervalsFor::table) {
        return std::nullopt;
    }
    const Eigen::Index d = noisy.columns();
    const double longest = longest_value(release);
    Eigen::ArrayXd least = Eigen::ArrayXd::Constant(d, -longest);
    Eigen::ArrayXd greatest = Eigen::ArrayXd::Constant(d, longest);
    const Eigen::VectorXd origin = origin_of(release);
    const Eigen::VectorXd stretch = stretch_of(release);
    Population population;
    population.variances = noisy.matrix.diagonal().array().max(0.0);
    population.covariance = noisy.matrix;
    for (Eigen::Index j = 0; j < d; ++j) {
        if (!release.schema.empty() && release.schema[static_cast<std::size_t>(j)].bounds) {
            least[j] = std::fmax(least[j], stretch[j] * (-1.0 - origin[j]));
            greatest[j] = std::fmin(greatest[j], stretch[j] * (1.0 - origin[j]));
        }
        // What noise hides may be there.
        const double noise = linear_function(noisy, j, j, {.ii = 1.0}).variance;
        population.covariance(j, j) = population.variances[j] + std::sqrt(noise);
    }
    const Eigen::ArrayXd mean = noisy.mean.array().max(least).min(greatest);
    population.is_normal = intervals_for == IntervalsFor::population;
    population.rows = noisy.rows / (1.0 + std::sqrt(noisy.relative_rows_variance));
    population.above = greatest - mean;
    population.below = mean - least;
    return population;
}

SampledMean sampled_mean(const Population& population, Eigen::Index column) {
    return of_draw(population.covariance(column, column), population.above[column],
                   population.below[column], population.rows);
}

SampledMean sampled_entry(const Population& population, Eigen::Index i, Eigen::Index j) {
    const Eigen::MatrixXd& c = population.covariance;
    const Eigen::ArrayXd far = farthest_of(population);
    const double greatest = far[i] * far[j];
    if (i == j) {
        // E y^4 <= max y^2 E y^2. What that leaves is less again where the variance is near the
        // greatest: so the most of it that is left for any variance that noise may hide, and how it
        // grows from what is told.
        const double told = std::fmin(population.variances[i], greatest);
        const double worst = std::clamp(0.5 * greatest, told, std::fmax(told, c(i, i)));
        return of_draw(worst * (greatest - worst), greatest - told, told, population.rows);
    }
    const double least = -greatest;
    const double entry = std::clamp(c(i, j), least, greatest);
    // E y_i^2 y_j^2 <= max y_j^2 E y_i^2, and the same of the other.
    const double in_bounds = std::fmax(
        0.0, std::fmin(far[j] * far[j] * c(i, i), far[i] * far[i] * c(j, j)) - entry * entry);
    if (population.is_normal) {
        const double of_normal = c(i, i) * c(j, j) + c(i, j) * c(i, j);
        return {.variance = std::fmin(of_normal, in_bounds) / population.rows};
    }
    return of_draw(in_bounds, greatest - entry, entry - least, population.rows);
}

double variance_of_correlation(const Population& population, Eigen::Index i, Eigen::Index j,
                               double r) {
    const Eigen::ArrayXd far = farthest_of(population);
    // In deviations; the greatest that a value is from the mean.
    const double at_i = far[i] / std::sqrt(population.covariance(i, i));
    const double at_j = far[j] / std::sqrt(population.covariance(j, j));
    const double unexplained = std::fmax(0.0, 1.0 - r * r);
    const double middle = 0.5 * (at_i + at_j);
    // The draw is uv - r (u^2 + v^2)/2, in two ways.
    const double by_sums = unexplained * middle * middle;
    const double by_products = std::pow(std::fmin(at_i, at_j) + std::fabs(r) * middle, 2);
    const double in_bounds = std::fmin(by_sums, by_products);
    const double variance =
        population.is_normal ? std::fmin(unexplained * unexplained, in_bounds) : in_bounds;
    return variance / population.rows;
}

SampledMean sampled_along_line(const Population& population, const Eigen::VectorXd& u,
                               double residual_variance, const Eigen::VectorXd& weights,
                               double constant) {
    const Eigen::ArrayXd far = farthest_of(population);
    const Eigen::Index p = weights.size();
    const double mean_square =
        weights.dot(population.covariance.topLeftCorner(p, p) * weights) + constant * constant;
    const double greatest_weight =
        (weights.array().abs() * far.head(p)).sum() + std::fabs(constant);
    const double greatest_residual = (u.array().abs() * far).sum();
    const double by_weights = greatest_residual * greatest_residual * mean_square / population.rows;
    // Of the residuals a table tells too little, where it has none of the rows far from the line.
    const double greatest = greatest_weight * greatest_residual;
    SampledMean by_residuals = of_draw(greatest_weight * greatest_weight * residual_variance,
                                       greatest, greatest, population.rows);
    const double in_bounds = std::fmin(by_weights, by_residuals.variance);
    if (!population.is_normal) {
        by_residuals.variance = in_bounds;
        by_residuals.most = by_weights;
        return by_residuals;
    }
    const double degrees = std::fmax(1.0, population.rows - static_cast<double>(p + 1));
    return {.variance = std::fmin(residual_variance * mean_square / degrees, in_bounds)};
}

LinearFunction with_sampling(LinearFunction function, double sampling_variance) {
    const double sum = function.variance + sampling_variance;
    if (sum > 0.0) {
        function.excess_kurtosis *= std::pow(function.variance / sum, 2);
    }
    function.variance = sum;
    return function;
}

double farthest(double z, const NoiseAtDistance& noise, double sampling, double growth) {
    NoiseAtDistance both = noise;
    both.variance += sampling;
    both.slope += growth;
    // Noise alone reaches farther where `sampling` + growth t is below zero.
    return std::fmax(greatest_root(z, noise), greatest_root(z, both));
}

Interval interval_about(double value, double noise_variance, const Reach& noise,
                        const SampledMean& sampled, double z) {
    const auto reach = [&](double of_noise, double growth) {
        const double variance = of_noise * of_noise / (z * z);  // as if it reached as far both ways
        return growth == 0.0  // without it the same but for rounding
                   ? z * std::sqrt(variance + sampled.variance)
                   : std::fmin(z * std::sqrt(variance + sampled.most),
                               farthest(z, {.variance = variance}, sampled.variance, growth));
    };
    return {.standard_error = std::sqrt(noise_variance + sampled.variance),
            .lower = value - reach(noise.below, sampled.growth_below),
            .upper = value + reach(noise.above, sampled.growth_above)};
}

Interval interval_about(double value, double noise_variance, const SampledMean& sampled, double z) {
    const double reach = z * std::sqrt(noise_variance);
    return interval_about(value, noise_variance, {reach, reach}, sampled, z);
}

}  // namespace dpcov::detail
