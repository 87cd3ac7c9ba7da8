// Linear regression of one column on others.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "derive/column_units.hpp"
#include "derive/intervals.hpp"
#include "derive/noisy_covariance.hpp"
#include "derive/parts_check.hpp"
#include "derive/regression_equations.hpp"
#include "derive/regression_intervals.hpp"
#include "derive/sampling.hpp"
#include "derive/varying_columns.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "regression/linear_regression.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

// "column 1 'income'".
std::string called(Eigen::Index column, const Schema& schema) {
    const std::string name = schema.empty() ? "" : schema[static_cast<std::size_t>(column)].name;
    return "column " + std::to_string(column) + (name.empty() ? "" : " " + in_quotes(name));
}

void check_columns(Eigen::Index target, const std::vector<Eigen::Index>& features,
                   const Release& release) {
    const Eigen::Index columns = release.covariance.rows();
    const auto check = [&](Eigen::Index column) {
        if (column < 0 || column >= columns) {
            throw UsageError("there is no column " + std::to_string(column) + ": there are " +
                             std::to_string(columns) + ", counted from 0");
        }
    };
    check(target);
    for (std::size_t i = 0; i < features.size(); ++i) {
        check(features[i]);
        if (features[i] == target) {
            throw UsageError(called(target, release.schema) +
                             " is the target; it cannot be a feature too");
        }
        if (std::find(features.begin(), features.begin() + static_cast<std::ptrdiff_t>(i),
                      features[i]) != features.begin() + static_cast<std::ptrdiff_t>(i)) {
            throw UsageError(called(features[i], release.schema) + " is a feature twice");
        }
    }
    if (features.empty()) {
        throw UsageError("a regression needs a feature, and the release has no other column");
    }
}

// What the line goes through: the mean, or what the values were moved by.
std::optional<Eigen::VectorXd> middle_of(const Release& release) {
    if (release.mean) {
        return detail::mean_in_table(release);
    }
    const bool about_zero = !has_bounds(release.schema) && release.origin.size() == 0;
    if (release.centered || about_zero) {
        return std::nullopt;
    }
    return detail::origin_in_table(release);
}

// The share of the target's variance that the line explains, as the estimated covariance has both.
double r_squared(const Eigen::MatrixXd& covariance, const Regression& regression) {
    const Eigen::VectorXd& w = regression.coefficients.estimate;
    const double variance = covariance(regression.target, regression.target);
    if (!(variance > 0.0)) {
        return 0.0;
    }
    const Eigen::VectorXd cross = covariance(regression.features, regression.target);
    const double of_line = w.dot(covariance(regression.features, regression.features) * w);
    return std::clamp((2.0 * w.dot(cross) - of_line) / variance, 0.0, 1.0);
}

}  // namespace

Regression derive_regression(const Release& release, Eigen::Index target,
                             std::vector<Eigen::Index> features, double level,
                             IntervalsFor intervals_for) {
    detail::check_level(level);
    detail::check_parts(release);
    const Eigen::Index d = release.covariance.rows();
    if (features.empty()) {
        features.resize(static_cast<std::size_t>(d));
        std::iota(features.begin(), features.end(), Eigen::Index{0});
        std::erase(features, target);
    }
    check_columns(target, features, release);
    std::vector<Eigen::Index> columns = features;
    columns.push_back(target);

    const Eigen::VectorXd all_units = detail::units_of_statistics(release);
    const Eigen::VectorXd units = all_units[target] * all_units(features).cwiseInverse();
    detail::NoisyRegression equations;
    Eigen::VectorXd mapped;
    Regression result;
    result.target = target;
    result.features = features;
    if (const auto noisy = detail::weighed_covariance(release, columns)) {
        equations = detail::regression_of(*noisy);
        detail::NoisyRegression uneven = detail::with_uneven_noise(*noisy);
        if (const auto means = detail::means_about_middles(release, *noisy, columns)) {
            uneven.means = *means;
            uneven.half_range_of_target = detail::stretch_of(release)[target];
        }
        mapped = posterior_coefficients(uneven);
    } else {
        equations = detail::regression_of_estimate(release, columns);
        // Without noise nothing was drawn, and the matrix is zero.
        mapped = equations.noise_variance > 0.0
                     ? posterior_coefficients(equations)
                     : Eigen::VectorXd::Zero(equations.cross.size()).eval();
    }
    result.coefficients = detail::without_intervals(Eigen::VectorXd(units.cwiseProduct(mapped)));
    if (const double norm = mapped.norm(); norm > 0.0) {
        result.ridge = equivalent_ridge(equations, norm);
    }
    if (const std::optional<Eigen::VectorXd> middle = middle_of(release)) {
        result.intercept =
            (*middle)[target] - (*middle)(features).dot(result.coefficients.estimate);
    }
    if (const auto noisy = detail::noisy_covariance(release)) {
        const auto population = detail::population_of(release, *noisy, intervals_for);
        detail::set_regression_intervals(
            result, noisy->of(columns),
            population ? std::optional(population->of(columns)) : std::nullopt, release, columns,
            level);
    } else {
        result.coefficients.why = detail::why_no_intervals(release);
    }
    // Of a constant the covariance has what noise left.
    if (detail::seen_to_vary(release)[target]) {
        result.r_squared = r_squared(detail::covariance_in_table(release), result);
    }
    return result;
}

}  // namespace dpcov
