// How far what a table says may be from the population that its rows were drawn from, independently
// of each other: variances of sampling, told from noisy second moments and the columns' ranges
// alone. Derivation: docs/deriving.md#population.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <vector>

#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

/// What is known of the population's columns, in units of the statistics.
struct Population {
    /// Sampling errs no more than it does for normal columns; but means and variances are those of
    /// any population.
    bool is_normal = false;
    double rows = 0.0;           ///< n; a noisy n less a deviation
    Eigen::ArrayXd above;        ///< from the mean to the greatest value that there can be, >= 0
    Eigen::ArrayXd below;        ///< from the least one to the mean
    Eigen::ArrayXd variances;    ///< as the table tells them, but at least 0
    Eigen::MatrixXd covariance;  ///< noisy; but those variances plus a deviation of noise

    [[nodiscard]] Population of(const std::vector<Eigen::Index>& columns) const;
};

/// None for intervals of the table alone.
[[nodiscard]] std::optional<Population> population_of(const Release& release,
                                                      const NoisyCovariance& noisy,
                                                      IntervalsFor intervals_for);

/// The mean of n draws of a number within bounds: the variance of one draw, over n, and by how much
/// at most it grows with the mean, where that is above or below what the table says.
struct SampledMean {
    double variance = 0.0;
    double growth_above = 0.0;
    double growth_below = 0.0;
    double most = std::numeric_limits<double>::infinity();  ///< that the variance grows to
};

/// Of the mean of a column, and of an entry of the covariance.
[[nodiscard]] SampledMean sampled_mean(const Population& population, Eigen::Index column);
[[nodiscard]] SampledMean sampled_entry(const Population& population, Eigen::Index i,
                                        Eigen::Index j);

/// Of a correlation that is r in the population.
[[nodiscard]] double variance_of_correlation(const Population& population, Eigen::Index i,
                                             Eigen::Index j, double r);

/// Of the mean over rows y of (weights^T y + constant) (y^T u). With u = (-w, 1) the second factor
/// is what the line w leaves of the target, the last column; weights are of the features before it.
[[nodiscard]] SampledMean sampled_along_line(const Population& population, const Eigen::VectorXd& u,
                                             double residual_variance,
                                             const Eigen::VectorXd& weights, double constant);

/// The same function of the population: its error is that of noise and that of sampling.
[[nodiscard]] LinearFunction with_sampling(LinearFunction function, double sampling_variance);

/// The noise of a number, at t from what is told: of variance `variance` + slope t + square t^2.
struct NoiseAtDistance {
    double variance = 0.0;
    double slope = 0.0;
    double square = 0.0;
};

/// The greatest t with t^2 <= z^2 (noise + sampling), where the variance of sampling is
/// `sampling` + growth t, or 0 where that is less; infinite where there is none.
[[nodiscard]] double farthest(double z, const NoiseAtDistance& noise, double sampling,
                              double growth);

/// About what is told of a number, with noise of that variance.
[[nodiscard]] Interval interval_about(double value, double noise_variance,
                                      const SampledMean& sampled, double z);
/// The same of noise that is not normal, and reaches so far by itself.
[[nodiscard]] Interval interval_about(double value, double noise_variance, const Reach& noise,
                                      const SampledMean& sampled, double z);

}  // namespace dpcov::detail
