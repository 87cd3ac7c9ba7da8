// Covariance and mean, entry by entry.
#include <cmath>
#include <limits>
#include <utility>

#include "derive/noisy_covariance.hpp"
#include "derive/shared.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"

namespace dpcov {

using detail::NoisyCovariance;

MatrixEstimate derive_covariance(const Release& release, double level) {
    detail::check_level(level);
    detail::check_shapes(release);
    MatrixEstimate result = detail::without_intervals(in_table_units(release).covariance);
    const std::optional<NoisyCovariance> noisy = detail::noisy_covariance(release);
    if (!noisy) {
        result.why = detail::why_no_intervals(release);
        return result;
    }
    const Eigen::VectorXd units = detail::units_of_columns(release);
    for (Eigen::Index j = 0; j < noisy->columns(); ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            const detail::LinearFunction entry = linear_function(
                *noisy, i, j,
                i == j ? detail::PairWeights{.ii = 1.0} : detail::PairWeights{.ij = 0.5});
            const double unit = units[i] * units[j];
            const double error = std::sqrt(entry.variance);
            const double reach = detail::two_sided_quantile(level, entry.excess_kurtosis) * error;
            // A variance is not below zero.
            const double least = i == j ? 0.0 : -std::numeric_limits<double>::infinity();
            detail::set_symmetric(result, i, j,
                                  {.standard_error = unit * error,
                                   .lower = unit * std::fmax(least, entry.value - reach),
                                   .upper = unit * std::fmax(least, entry.value + reach)});
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

}  // namespace

VectorEstimate derive_mean(const Release& release, double level) {
    detail::check_level(level);
    detail::check_shapes(release);
    if (!release.mean) {
        throw UsageError(release.centered
                             ? "this release has no mean: no noisy statistic was drawn"
                             : "this release has no mean: it was made without centring");
    }
    VectorEstimate result = detail::without_intervals(*in_table_units(release).mean);
    const std::optional<NoisyCovariance> noisy = detail::noisy_covariance(release);
    if (!noisy) {
        result.why = detail::why_no_intervals(release);
        return result;
    }
    const Eigen::VectorXd units = detail::units_of_columns(release);
    const Eigen::ArrayXd origin =
        detail::midpoints_of_columns(release) + units.cwiseProduct(detail::origin_of(release));
    const double z = detail::two_sided_quantile(level, 0.0);
    const Eigen::ArrayXd error =
        (noisy->mean_noise_variance + noisy->relative_rows_variance * noisy->mean.array().square())
            .sqrt();
    result.standard_error = units.array() * error;
    const auto [least, greatest] = range_of_means(release);
    const auto in_range = [&, low = least, high = greatest](const Eigen::ArrayXd& mapped) {
        return (origin + units.array() * mapped).max(low).min(high).matrix();
    };
    result.lower = in_range(noisy->mean.array() - z * error);
    result.upper = in_range(noisy->mean.array() + z * error);
    return result;
}

}  // namespace dpcov
