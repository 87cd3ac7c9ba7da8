// Correlations, and where they can lie.
#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "derive/intervals.hpp"
#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"
#include "derive/parts_check.hpp"
#include "derive/sampling.hpp"
#include "derive/shrunk_correlations.hpp"
#include "derive/varying_columns.hpp"
#include "dpcov/derive.hpp"

namespace dpcov {
namespace {

using detail::LinearFunction;
using detail::NoiseQuantile;
using detail::NoisyCovariance;
using detail::PairWeights;
using detail::Population;

// From where on a noisy variance is far enough from zero to divide by: in standard errors.
constexpr double least_z_of_variance = 4.0;

// Of two columns: what is told, and of what.
struct Pair {
    const NoisyCovariance& noisy;
    const std::optional<Population>& population;
    Eigen::Index i;
    Eigen::Index j;
};

// C_ij - r g, g = sqrt(C_ii C_jj), to first order in the noise; its value is that at r.
LinearFunction excess(const Pair& pair, double r) {
    const auto& [noisy, population, i, j] = pair;
    const double ratio = std::sqrt(noisy.matrix(j, j) / noisy.matrix(i, i));
    const LinearFunction of_table =
        linear_function(noisy, i, j, {.ii = -0.5 * r * ratio, .jj = -0.5 * r / ratio, .ij = 0.5});
    if (!population) {
        return of_table;
    }
    return detail::with_sampling(of_table,
                                 noisy.matrix(i, i) * noisy.matrix(j, j) *
                                     detail::variance_of_correlation(*population, i, j, r));
}

bool is_far_from_zero(const NoisyCovariance& noisy, Eigen::Index i) {
    const LinearFunction variance = linear_function(noisy, i, i, {.ii = 1.0});
    return variance.value > least_z_of_variance * std::sqrt(variance.variance);
}

// Fieller (1954): all r in [-1, 1] that the noise does not rule out, (C_ij - r g)^2 <= z^2 var(r).
// An end is where that turns, between r = C_ij / g, which is inside, and -1 or 1.
double end_of_interval(const Pair& pair, double inside, double outside,
                       const NoiseQuantile& quantile) {
    const auto ruled_out_by = [&](double r) {
        const LinearFunction at = excess(pair, r);
        const double z = quantile.with(at.excess_kurtosis);
        return at.value * at.value - z * z * at.variance;
    };
    const double at_outside = ruled_out_by(outside);
    const double at_inside = ruled_out_by(inside);
    if (!(at_outside > 0.0)) {
        return outside;
    }
    if (!(at_inside < 0.0)) {
        return inside;
    }
    constexpr double near = 0x1p-40;
    const auto near_enough = [](double a, double b) { return b - a <= near; };
    std::uintmax_t most_steps = 100;
    const bool upwards = inside < outside;
    const auto [lower, upper] = boost::math::tools::toms748_solve(
        ruled_out_by, std::min(inside, outside), std::max(inside, outside),
        upwards ? at_inside : at_outside, upwards ? at_outside : at_inside, near_enough,
        most_steps);
    return upwards ? upper : lower;
}

Interval interval_of(const Pair& pair, double level) {
    const auto& [noisy, population, i, j] = pair;
    const double g = std::sqrt(noisy.matrix(i, i) * noisy.matrix(j, j));
    const double r = noisy.matrix(i, j) / g;
    const double error = std::sqrt(excess(pair, std::clamp(r, -1.0, 1.0)).variance) / g;
    // Outside of [-1, 1] too: a noisy correlation may be there, and what is possible beside it.
    const auto within = [&](const NoiseQuantile& quantile) {
        return Interval{.standard_error = error,
                        .lower = end_of_interval(pair, r, std::min(-1.0, r), quantile),
                        .upper = end_of_interval(pair, r, std::max(1.0, r), quantile)};
    };
    const Interval about = within(NoiseQuantile(level));
    return population || !detail::is_near_an_end(about, -1.0, 1.0)
               ? detail::possible_part(about, -1.0, 1.0)
               : detail::possible_part(about, within(detail::one_sided_quantile(level)), -1.0, 1.0);
}

std::string both(const std::string& one, const std::string& other) {
    return one + (one.empty() || other.empty() ? "" : "; ") + other;
}

}  // namespace

Eigen::MatrixXd correlation_matrix(const Release& release) {
    detail::check_parts(release);
    return detail::shrunk_correlations(release, detail::seen_to_vary(release));
}

MatrixEstimate derive_correlation(const Release& release, double level,
                                  IntervalsFor intervals_for) {
    detail::check_level(level);
    detail::check_parts(release);
    const std::optional<NoisyCovariance> noisy = detail::noisy_covariance(release);
    const detail::ColumnFlags varies = detail::seen_to_vary(release);
    MatrixEstimate result = detail::without_intervals(detail::shrunk_correlations(release, varies));
    const std::string constant = detail::about_constant_columns(release, varies);
    if (!noisy) {
        result.why = both(detail::why_no_intervals(release), constant);
        return result;
    }
    const auto population = detail::population_of(release, *noisy, intervals_for);
    for (Eigen::Index j = 0; j < noisy->columns(); ++j) {
        detail::set_symmetric(result, j, j, {.standard_error = 0.0, .lower = 1.0, .upper = 1.0});
        for (Eigen::Index i = 0; i < j; ++i) {
            if (is_far_from_zero(*noisy, i) && is_far_from_zero(*noisy, j)) {
                detail::set_symmetric(result, i, j, interval_of({*noisy, population, i, j}, level));
            } else {
                result.lower(i, j) = result.lower(j, i) = -1.0;
                result.upper(i, j) = result.upper(j, i) = 1.0;
                result.why =
                    "intervals of [-1, 1]: a variance of one of the two columns is not far enough "
                    "above its noise to divide by";
            }
        }
    }
    result.why = both(result.why, constant);
    return result;
}

}  // namespace dpcov
