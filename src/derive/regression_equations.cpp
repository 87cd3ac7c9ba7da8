#include "derive/regression_equations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "derive/column_units.hpp"
#include "derive/linear_function.hpp"
#include "derive/noise_of_release.hpp"
#include "derive/supposed_noise.hpp"

namespace dpcov::detail {
namespace {

// Deviations of what supposed_noise_deviation() says. Chosen on ten tables
// (docs/research-log.md#no-law): with one or two of them predictions erred up to 5.4 and 2.2 times
// as much as the mean's.
constexpr double supposed_deviations = 3.0;

double deviation_of_estimate(const Release& release) {
    if (const auto error = release.estimated_frobenius_error) {
        // Isotropic noise of deviation s on the diagonal has the squared norm s^2 d (d + 1) / 2.
        const auto d = static_cast<double>(release.covariance.rows());
        return *error * std::sqrt(2.0 / (d * (d + 1.0)));
    }
    return supposed_deviations * supposed_noise_deviation(release);
}

}  // namespace

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

std::optional<Eigen::VectorXd> means_about_middles(const Release& release,
                                                   const NoisyCovariance& noisy,
                                                   const std::vector<Eigen::Index>& columns) {
    const auto bounded = [&](Eigen::Index column) {
        return !release.schema.empty() &&
               release.schema[static_cast<std::size_t>(column)].bounds.has_value();
    };
    if (!release.centered || !std::all_of(columns.begin(), columns.end(), bounded)) {
        return std::nullopt;
    }
    const Eigen::VectorXd moved_by =
        origin_of(release)(columns).cwiseProduct(stretch_of(release)(columns));
    return noisy.mean + moved_by;
}

NoisyRegression regression_of_estimate(const Release& release,
                                       const std::vector<Eigen::Index>& columns) {
    const auto p = static_cast<Eigen::Index>(columns.size()) - 1;
    const Eigen::MatrixXd some = covariance_as_summed(release)(columns, columns);
    const double variance = std::pow(deviation_of_estimate(release), 2);
    return {.features = some.topLeftCorner(p, p),
            .cross = some.col(p).head(p),
            .target = some(p, p),
            .noise_variance = variance,
            .cross_noise_variance = 0.5 * variance,
            .rows = rows_of(release),
            .mean_noise_variance = std::pow(release.statistics.mean_noise_scale, 2)};
}

}  // namespace dpcov::detail
