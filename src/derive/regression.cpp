// Linear regression of one column on others.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "derive/column_units.hpp"
#include "derive/intervals.hpp"
#include "derive/linear_function.hpp"
#include "derive/noise_of_release.hpp"
#include "derive/noisy_covariance.hpp"
#include "derive/parts_check.hpp"
#include "derive/supposed_noise.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "estimate/truncated_normal.hpp"
#include "regression/linear_regression.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

using detail::EigenDecomposition;
using detail::NoisyCovariance;
using detail::NoisyRegression;

// Least squares has intervals where the least eigenvalue of the noisy features is this many times
// the greatest that noise alone would have.
constexpr double least_signal = 2.0;
// And this many of its deviations, which is more where there are few features: a quotient of two
// noisy numbers has a symmetric interval only then.
constexpr double least_z_of_features = 6.0;

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

// The features come first, the target last. An error in the number of rows multiplies all entries
// of the second moment alike, which moves no coefficient; but it moves m m^T by twice as much.
NoisyRegression regression_of(NoisyCovariance noisy) {
    const double of_rows = std::exchange(noisy.relative_rows_variance, 0.0);
    const Eigen::Index p = noisy.columns() - 1;
    double variance = 0.0;  // of an entry of b, on average
    for (Eigen::Index i = 0; i < p; ++i) {
        const double entry = linear_function(noisy, i, p, {.ij = 0.5}).variance +
                             of_rows * std::pow(noisy.mean[i] * noisy.mean[p], 2);
        variance += entry / static_cast<double>(p);
    }
    return {.features = noisy.matrix.topLeftCorner(p, p),
            .cross = noisy.matrix.col(p).head(p),
            .target = noisy.matrix(p, p),
            .noise_variance = 2.0 * variance,
            .cross_noise_variance = variance,
            .rows = noisy.rows,
            .mean_noise_variance = noisy.mean_noise_variance};
}

// Along the features' mean m noise is more than across it: an error e in the mean of a column moves
// m m^T by e m^T + m e^T, and b by as much along m as m is long. Where bounds are wide m is, and
// nothing varies along it: least squares would take that noise for a relation. A common factor on
// the number of rows, or on the mean, moves b along m, too, but of A nothing across m.
NoisyRegression with_uneven_noise(const NoisyCovariance& noisy) {
    NoisyRegression equations = regression_of(noisy);
    const Eigen::Index p = equations.cross.size();
    const Eigen::VectorXd m = noisy.mean.head(p);
    const double v = noisy.mean_noise_variance;
    const double squared_length = std::max(0.0, m.squaredNorm() - static_cast<double>(p) * v);
    if (squared_length == 0.0) {
        return equations;
    }
    const double target = noisy.mean[p] * noisy.mean[p];
    const double across = 0.5 * noisy.noise_variance + v * target;
    const double along =
        across + v * squared_length + noisy.relative_rows_variance * squared_length * target;
    equations.noise_variance = noisy.noise_variance;
    equations.cross_noise_variance = across;
    equations.cross_noise_along = along;
    equations.noisier_direction = m.normalized();
    equations.evening_factor =
        std::sqrt(noisy.noise_variance / (noisy.noise_variance + 2.0 * v * squared_length));
    return equations;
}

// What a release and the bounds of the columns tell of their means, about the middles of the
// bounds; none without a mean or without bounds.
struct MeansInBounds {
    Eigen::VectorXd noisy;     // in units of the statistics
    Eigen::VectorXd believed;  // in half-ranges
};
std::optional<MeansInBounds> means_in_bounds(const Release& release, const NoisyCovariance& noisy,
                                             const std::vector<Eigen::Index>& columns) {
    const auto bounded = [&](Eigen::Index column) {
        return !release.schema.empty() &&
               release.schema[static_cast<std::size_t>(column)].bounds.has_value();
    };
    if (!release.centered || !std::all_of(columns.begin(), columns.end(), bounded)) {
        return std::nullopt;
    }
    const Eigen::VectorXd stretch = detail::stretch_of(release)(columns);
    const Eigen::VectorXd origin = detail::origin_of(release)(columns);
    MeansInBounds means{noisy.mean + origin.cwiseProduct(stretch), noisy.mean};
    for (Eigen::Index j = 0; j < stretch.size(); ++j) {
        const double deviation = std::sqrt(
            noisy.mean_noise_variance + noisy.relative_mean_variance * std::pow(noisy.mean[j], 2));
        means.believed[j] =
            detail::mean_within_one(noisy.mean[j] / stretch[j] + origin[j], deviation / stretch[j]);
    }
    return means;
}

// The covariance matrix of (b - A w) as the noise of A, b and m makes it, u = (-w, 1).
Eigen::MatrixXd noise_of_equations(const NoisyCovariance& noisy, const Eigen::VectorXd& w) {
    const Eigen::Index p = w.size();
    Eigen::VectorXd u(p + 1);
    u << -w, 1.0;
    const Eigen::VectorXd m = noisy.mean.head(p);
    const double along = noisy.mean.dot(u);
    const double squared_length = u.squaredNorm();
    const double s2 = noisy.noise_variance;
    const double v = noisy.mean_noise_variance;
    const Eigen::VectorXd residual = (noisy.matrix * u).head(p) - m * along;
    Eigen::MatrixXd noise =
        0.5 * s2 * (w * w.transpose()) +
        v * (squared_length * m * m.transpose() - along * (m * w.transpose() + w * m.transpose())) +
        noisy.relative_rows_variance * residual * residual.transpose() +
        noisy.rows_covariance * (residual * w.transpose() + w * residual.transpose());
    noise.diagonal().array() += 0.5 * s2 * squared_length + v * along * along;
    return noise;
}

// What the line goes through: the mean, or what the values were moved by.
std::optional<Eigen::VectorXd> middle_of(const Release& release) {
    if (release.mean) {
        return in_table_units(release).mean;
    }
    const bool about_zero = !has_bounds(release.schema) && release.origin.size() == 0;
    if (release.centered || about_zero) {
        return std::nullopt;
    }
    return detail::origin_in_table(release);
}

// Least squares on the noisy covariance.
struct LeastSquares {
    Eigen::MatrixXd inverse;       // A^-1
    Eigen::VectorXd coefficients;  // w = A^-1 b
    Eigen::MatrixXd noise;         // covariance matrix of (b - A w)
};

// None where the features are not seen clearly.
std::optional<LeastSquares> least_squares(const NoisyCovariance& noisy) {
    const NoisyRegression equations = regression_of(noisy);
    const Eigen::Index p = equations.cross.size();
    const EigenDecomposition eigen = detail::eigen_decomposition(equations.features);
    const double s = std::sqrt(equations.noise_variance);
    const double greatest = noisy.edge_ratio * s * std::sqrt(static_cast<double>(2 * p));
    if (!(eigen.values[0] > std::fmax(least_signal * greatest, least_z_of_features * s))) {
        return std::nullopt;
    }
    LeastSquares line;
    line.inverse =
        eigen.vectors * eigen.values.cwiseInverse().asDiagonal() * eigen.vectors.transpose();
    line.coefficients = line.inverse * equations.cross;
    line.noise = noise_of_equations(noisy, line.coefficients);
    return line;
}

void set_intervals(VectorEstimate& coefficients, const LeastSquares& line,
                   const Eigen::VectorXd& units, double z) {
    const Eigen::VectorXd& w = line.coefficients;
    const Eigen::VectorXd error =
        (line.inverse * line.noise * line.inverse).diagonal().cwiseMax(0.0).cwiseSqrt();
    coefficients.standard_error = units.cwiseProduct(error);
    coefficients.lower = units.cwiseProduct(w - z * error);
    coefficients.upper = units.cwiseProduct(w + z * error);
}

// Of the line's height u^T a where the table's columns are zero, u = (-w, 1) and a the middle that
// it goes through, as far from there. Derivation: docs/deriving.md#intercept.
Interval interval_of_height(const NoisyCovariance& noisy, const LeastSquares& line,
                            const Eigen::VectorXd& middle, double z) {
    const Eigen::VectorXd& w = line.coefficients;
    const Eigen::Index p = w.size();
    Eigen::VectorXd u(p + 1);
    u << -w, 1.0;
    const double along = noisy.mean.dot(u);
    const double v = noisy.mean_noise_variance;
    const double of_rows = noisy.relative_rows_variance * along * along;
    const Eigen::VectorXd m = noisy.mean.head(p);
    // w moves by A^-1 times the noise of b - A w, which has some in common with that of u^T m.
    const Eigen::VectorXd q = line.inverse * middle.head(p);
    const Eigen::VectorXd in_common =
        v * (along * w - u.squaredNorm() * m) - of_rows * m + noisy.rows_covariance * along * w;
    const double error = std::sqrt(std::fmax(
        0.0, q.dot(line.noise * q) + v * u.squaredNorm() + of_rows - 2.0 * q.dot(in_common)));
    const double height = middle.dot(u);
    return {.standard_error = error, .lower = height - z * error, .upper = height + z * error};
}

// The intervals of a regression, `columns` being its features and then its target.
void set_intervals(Regression& regression, const NoisyCovariance& noisy, const Release& release,
                   const std::vector<Eigen::Index>& columns, double level) {
    const std::optional<LeastSquares> line = least_squares(noisy);
    if (!line) {
        regression.coefficients.why =
            "no intervals: some combination of the features varies too little beside the noise for "
            "least squares to be told from the release; take fewer features, or more budget. Of "
            "columns that add up to a constant, as the 0/1 columns of one category do, leave one "
            "out";
        return;
    }
    const double z = detail::NoiseQuantile(level).with(0.5 * noisy.excess_kurtosis);
    const Eigen::VectorXd units = detail::units_of_statistics(release)(columns);
    const double unit = units[units.size() - 1];
    set_intervals(regression.coefficients, *line,
                  unit * units.head(units.size() - 1).cwiseInverse(), z);
    if (regression.intercept) {
        const Eigen::VectorXd origin = detail::origin_in_table(release)(columns);
        const Interval height =
            interval_of_height(noisy, *line, origin.cwiseQuotient(units) + noisy.mean, z);
        regression.intercept_interval = {.standard_error = unit * height.standard_error,
                                         .lower = unit * height.lower,
                                         .upper = unit * height.upper};
    }
}

// Of a release whose noise has no known law: the estimate as if all of its error were noise, and
// where that is not known either, as if it had so many deviations of what supposed_noise_deviation
// says. Chosen on ten tables (docs/research-log.md#no-law): with one or two of them predictions
// erred up to 5.4 and 2.2 times as much as the mean's.
constexpr double supposed_deviations = 3.0;

double deviation_of_estimate(const Release& release) {
    if (const auto error = release.estimated_frobenius_error) {
        // Isotropic noise of deviation s on the diagonal has the squared norm s^2 d (d + 1) / 2.
        const auto d = static_cast<double>(release.covariance.rows());
        return *error * std::sqrt(2.0 / (d * (d + 1.0)));
    }
    return supposed_deviations * detail::supposed_noise_deviation(release);
}

NoisyRegression regression_of_estimate(const Release& release,
                                       const std::vector<Eigen::Index>& columns) {
    const auto p = static_cast<Eigen::Index>(columns.size()) - 1;
    const Eigen::MatrixXd some = detail::covariance_as_summed(release)(columns, columns);
    const double variance = std::pow(deviation_of_estimate(release), 2);
    return {.features = some.topLeftCorner(p, p),
            .cross = some.col(p).head(p),
            .target = some(p, p),
            .noise_variance = variance,
            .cross_noise_variance = 0.5 * variance,
            .rows = detail::rows_of(release),
            .mean_noise_variance = std::pow(release.statistics.mean_noise_scale, 2)};
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
                             std::vector<Eigen::Index> features, double level) {
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
    NoisyRegression equations;
    Eigen::VectorXd mapped;
    Regression result;
    result.target = target;
    result.features = features;
    std::optional<Eigen::VectorXd> middle = middle_of(release);
    if (const auto noisy = detail::weighed_covariance(release, columns)) {
        equations = regression_of(*noisy);
        NoisyRegression uneven = with_uneven_noise(*noisy);
        if (const auto means = means_in_bounds(release, *noisy, columns); means && middle) {
            uneven.means = means->noisy;
            uneven.half_range_of_target = detail::stretch_of(release)[target];
            (*middle)(columns) =
                detail::midpoints_of_columns(release)(columns) +
                detail::units_of_columns(release)(columns).cwiseProduct(means->believed);
        }
        mapped = posterior_coefficients(uneven);
    } else {
        equations = regression_of_estimate(release, columns);
        // Without noise nothing was drawn, and the matrix is zero.
        mapped = equations.noise_variance > 0.0
                     ? posterior_coefficients(equations)
                     : Eigen::VectorXd::Zero(equations.cross.size()).eval();
    }
    result.coefficients = detail::without_intervals(Eigen::VectorXd(units.cwiseProduct(mapped)));
    if (const double norm = mapped.norm(); norm > 0.0) {
        result.ridge = equivalent_ridge(equations, norm);
    }
    if (middle) {
        result.intercept =
            (*middle)[target] - (*middle)(features).dot(result.coefficients.estimate);
    }
    if (const auto noisy = detail::noisy_covariance(release)) {
        set_intervals(result, noisy->of(columns), release, columns, level);
    } else {
        result.coefficients.why = detail::why_no_intervals(release);
    }
    result.r_squared = r_squared(in_table_units(release).covariance, result);
    return result;
}

}  // namespace dpcov
