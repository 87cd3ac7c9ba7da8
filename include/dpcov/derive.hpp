// What follows from a release: covariance, correlations, mean, principal components, regressions,
// each with intervals. Post-processing: all of it costs no privacy, however often it is computed.
//
// Every result is in the units of the table (in_table_units). Estimates are shrunk: they err less
// than the noisy statistics that they come from. Intervals are those of the statistics themselves,
// whose noise has a known distribution. They cover the value of the table that the release was made
// from (its rows as mapped and clipped), or that of a population, see IntervalsFor. A shrunk
// estimate may therefore lie outside of its interval. Where no honest interval is known, its ends
// and the standard error are NaN, and `why` says the reason. Derivations: docs/deriving.md.
//
// UsageError unless a level is above 0 and below 1. UsageError also for a release whose parts do
// not fit together, or that holds numbers that are not finite or out of all range.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dpcov/eigen.hpp"
#include "dpcov/export.hpp"
#include "dpcov/release.hpp"
#include "dpcov/words.hpp"

namespace dpcov {

/// Returns the release with covariance and mean in the units of the table. Distances are multiplied
/// by each column's half-range, and its midpoint is added to the mean. A covariance that is not
/// centred is then about the midpoints. Columns without bounds stay in units of their scale. A
/// second call changes nothing. Post-processing: costs nothing.
[[nodiscard]] DPCOV_EXPORT Release in_table_units(Release release);

/// Computes the covariance of the release again, from Release::statistics and public facts alone;
/// d x d, in the units of Release::covariance. UsageError where the method has no such statistics,
/// or they were not kept.
[[nodiscard]] DPCOV_EXPORT Eigen::MatrixXd estimate_covariance(const Release& release);

/// About the greatest eigenvalue that noise alone would have in the sum of all strata, in units of
/// the mapped columns, squared. None where the distribution of the method's noise is not known, or
/// no noise was drawn. For Wishart noise on several strata it is up to a fifth too great. Where
/// columns were stretched it is approximately an upper bound; with very different factors it is up
/// to three times too great.
[[nodiscard]] DPCOV_EXPORT std::optional<double> noise_level(const Release& release);

/// The value that intervals are to cover. A population's is that of its rows as mapped and clipped;
/// the table's rows must have been drawn from it independently of each other. How often such
/// intervals cover was measured: docs/derived.md#population.
enum class IntervalsFor {
    table,  ///< the table's own: for the noise alone
    /// Also for the sampling of the rows. Means and variances: of any population. Covariances of
    /// two columns, and correlations: where sampling errs no more than it does for normal columns.
    /// Regressions: where residuals vary alike, whatever the features are. Eigenvalues: none.
    population,
    any_population,  ///< the same of any population with values within the bounds: wider
};
inline constexpr auto intervals_for_words =
    words_of<IntervalsFor>({{"table", IntervalsFor::table},
                            {"population", IntervalsFor::population},
                            {"any population", IntervalsFor::any_population}});

/// A d x d matrix: each entry with a standard error and an interval. NaN: not known.
struct MatrixEstimate {
    Eigen::MatrixXd matrix;
    Eigen::MatrixXd standard_error;
    Eigen::MatrixXd lower;
    Eigen::MatrixXd upper;
    std::string why = {};  ///< why there is no interval, or a wide one; else empty
};

/// As MatrixEstimate, for a vector: all four have the same length.
struct VectorEstimate {
    Eigen::VectorXd estimate;
    Eigen::VectorXd standard_error;
    Eigen::VectorXd lower;
    Eigen::VectorXd upper;
    std::string why = {};
};

/// The covariance, d x d. It is about the mean where one was released, else about zero, or about
/// the midpoints of the bounds. Each entry has its own interval: it covers the table's entry with
/// probability `level`, 0 < level < 1.
[[nodiscard]] DPCOV_EXPORT MatrixEstimate derive_covariance(
    const Release& release, double level = 0.95, IntervalsFor intervals_for = IntervalsFor::table);

/// The correlations, d x d: symmetric, positive semidefinite, ones on the diagonal. A column that
/// was not seen to vary has correlation 0 with every other one. Those that noise may have made are
/// shrunk (docs/deriving.md#shrunk-correlations). Where a variance is not clearly above its noise,
/// the interval is [-1, 1].
[[nodiscard]] DPCOV_EXPORT MatrixEstimate derive_correlation(
    const Release& release, double level = 0.95, IntervalsFor intervals_for = IntervalsFor::table);

/// The matrix of derive_correlation() without intervals, which take much longer for many columns.
[[nodiscard]] DPCOV_EXPORT Eigen::MatrixXd correlation_matrix(const Release& release);

/// The mean, d values. UsageError where none was released.
[[nodiscard]] DPCOV_EXPORT VectorEstimate derive_mean(
    const Release& release, double level = 0.95, IntervalsFor intervals_for = IntervalsFor::table);

/// The matrix whose principal components are computed.
enum class ComponentsOf {
    covariance,   ///< columns in their own units: those of large variance dominate
    correlation,  ///< columns divided by their estimated standard deviations: of the correlations
                  ///< as correlation_matrix() has them; no intervals
};

/// Directions of greatest variance.
struct PrincipalComponents {
    std::optional<Eigen::VectorXd> mean;  ///< d values, where a mean was released
    /// K x d: orthonormal rows, the greatest variance first. The entry of greatest absolute value
    /// in each row is positive.
    Eigen::MatrixXd components;
    /// d standard deviations by which the columns were divided; zero for a column that was not seen
    /// to vary. Set for ComponentsOf::correlation alone.
    std::optional<Eigen::VectorXd> deviations;
    VectorEstimate explained_variance;        ///< K values; units of the (divided) columns, squared
    VectorEstimate explained_variance_ratio;  ///< K shares of the whole variance, from 0 to 1
};

/// The first K = `components` principal components. UsageError unless 1 <= K <= d.
[[nodiscard]] DPCOV_EXPORT PrincipalComponents derive_pca(
    const Release& release, Eigen::Index components, double level = 0.95,
    ComponentsOf of = ComponentsOf::covariance, IntervalsFor intervals_for = IntervalsFor::table);

/// The standard error of a number, and an interval that covers it.
struct Interval {
    double standard_error = 0.0;
    double lower = 0.0;
    double upper = 0.0;
};

/// A linear prediction: intercept + sum of coefficients times features.
struct Regression {
    Eigen::Index target = 0;                  ///< column that is predicted, counted from 0
    std::vector<Eigen::Index> features = {};  ///< columns that it is predicted from
    /// In the target's units. The line goes through the mean of a centred release (with bounds:
    /// through its estimate within them), else through the midpoints of the bounds. None where
    /// there are neither.
    std::optional<double> intercept;
    /// Of the intercept of least squares. None where the coefficients have no intervals, or there
    /// is no intercept.
    std::optional<Interval> intercept_interval;
    /// One for each feature, in units of the target over units of the feature. The intervals are
    /// those of least squares.
    VectorEstimate coefficients;
    /// An estimate of R^2 on the table of the release: the share of the target's variance that the
    /// line explains; without centring, of its mean square about the midpoints. From 0 to 1; 0
    /// where the target was not seen to vary. What was measured: docs/derived.md#explained-share.
    double r_squared = 0.0;
    /// The penalty at which ridge regression, on columns as mapped and stretched, gives a vector of
    /// coefficients of the same norm. None where all coefficients are zero.
    std::optional<double> ridge;
};

/// The linear regression of column `target` on the columns `features`; on all others where that is
/// empty. Columns are counted from 0. The release alone decides how far coefficients are shrunk.
/// UsageError for columns that do not exist, that are named twice, or that are both target and
/// feature, and where there is no feature.
[[nodiscard]] DPCOV_EXPORT Regression derive_regression(
    const Release& release, Eigen::Index target, std::vector<Eigen::Index> features = {},
    double level = 0.95, IntervalsFor intervals_for = IntervalsFor::table);

}  // namespace dpcov
