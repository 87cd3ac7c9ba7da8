// What follows from a release: covariance, correlations, mean, principal components, regressions,
// each with intervals. Post-processing: all of it is free, as often as it is asked for.
//
// Every result is in the units of the table (in_table_units). Estimates are shrunk, and err less
// than the noisy statistics that they come from; intervals are those of the statistics themselves,
// whose noise has a known law, and cover the value of the table that the release was made from (its
// rows as mapped and clipped), not that of a population. A shrunk estimate may therefore lie
// outside of its interval. Where no honest interval is known, its ends and the standard error are
// NaN, and `why` says so. Derivations: docs/deriving.md.
//
// A level is above 0 and below 1, else UsageError; so is a release whose parts do not fit together,
// or that holds what none has: numbers that are not finite, or are out of all range.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dpcov/eigen.hpp"
#include "dpcov/export.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// The release in the units of the table, where its columns have bounds: distances are multiplied
/// by each column's half-range, the mean is moved by its midpoint. A covariance that is not centred
/// is then about the midpoints. Post-processing: costs nothing. Columns without bounds stay in
/// units of their scale. Done once; a second time changes nothing.
[[nodiscard]] DPCOV_EXPORT Release in_table_units(Release release);

/// The covariance that the release was made with, again: a function of Release::statistics and of
/// public facts alone, in the units of Release::covariance. UsageError where the method has no such
/// statistics, or they were not kept.
[[nodiscard]] DPCOV_EXPORT Eigen::MatrixXd estimate_covariance(const Release& release);

/// About the greatest eigenvalue that the noise alone would have in the sum of all strata, in units
/// of the mapped columns; none where the method's noise has no such law, or none was drawn. Of
/// Wishart noise on several strata up to a fifth too great. Where columns were stretched it is at
/// most about that, and where they were by very different factors up to three times too great.
[[nodiscard]] DPCOV_EXPORT std::optional<double> noise_level(const Release& release);

/// Values with a standard error and an interval each. NaN: not known.
struct MatrixEstimate {
    Eigen::MatrixXd matrix;
    Eigen::MatrixXd standard_error;
    Eigen::MatrixXd lower;
    Eigen::MatrixXd upper;
    std::string why = {};  ///< no interval, or a wide one; empty: all are as good as can be
};

/// The same of a vector.
struct VectorEstimate {
    Eigen::VectorXd estimate;
    Eigen::VectorXd standard_error;
    Eigen::VectorXd lower;
    Eigen::VectorXd upper;
    std::string why = {};
};

/// The covariance (about the mean where that was released, else about zero, or the midpoints of the
/// bounds). Intervals of the given level, 0 < level < 1, for every entry by itself.
[[nodiscard]] DPCOV_EXPORT MatrixEstimate derive_covariance(const Release& release,
                                                            double level = 0.95);

/// Correlations, a valid matrix: symmetric, positive semidefinite, ones on the diagonal. A column
/// that was not seen to vary has none: zero, with an interval of [-1, 1].
[[nodiscard]] DPCOV_EXPORT MatrixEstimate derive_correlation(const Release& release,
                                                             double level = 0.95);

/// The matrix of derive_correlation() alone: with many columns intervals take much longer.
[[nodiscard]] DPCOV_EXPORT Eigen::MatrixXd correlation_matrix(const Release& release);

/// The mean. UsageError where none was released.
[[nodiscard]] DPCOV_EXPORT VectorEstimate derive_mean(const Release& release, double level = 0.95);

/// What components are taken of.
enum class ComponentsOf {
    covariance,   ///< columns in their own units: those of great units come first
    correlation,  ///< columns divided by their estimated deviations; without intervals
};

/// Directions of greatest variance.
struct PrincipalComponents {
    std::optional<Eigen::VectorXd> mean;  ///< d, where one was released
    Eigen::MatrixXd components;           ///< K x d, orthonormal rows, the greatest first; in each
                                          ///< the entry of greatest size is positive
    /// d: what columns were divided by, of ComponentsOf::correlation alone; zero for a column that
    /// was not seen to vary.
    std::optional<Eigen::VectorXd> deviations;
    VectorEstimate explained_variance;        ///< K, units squared; in the divided columns
    VectorEstimate explained_variance_ratio;  ///< K, of the whole variance; from 0 to 1
};

/// The first K, 1 <= K <= d, else UsageError.
[[nodiscard]] DPCOV_EXPORT PrincipalComponents
derive_pca(const Release& release, Eigen::Index components, double level = 0.95,
           ComponentsOf of = ComponentsOf::covariance);

/// A number's standard error, and an interval.
struct Interval {
    double standard_error = 0.0;
    double lower = 0.0;
    double upper = 0.0;
};

/// A linear prediction: intercept + sum of coefficients times features.
struct Regression {
    Eigen::Index target = 0;
    std::vector<Eigen::Index> features = {};
    /// The line goes through the mean of a centred release, as far as noise leaves it in the
    /// columns' bounds, else through the midpoints of the bounds; none where there are neither.
    std::optional<double> intercept;
    /// Of the intercept of least squares; none where coefficients have none, or it is not told.
    std::optional<Interval> intercept_interval;
    VectorEstimate coefficients;  ///< of each feature, target's units over the feature's. The
                                  ///< intervals are those of least squares
    /// R^2 on the table of the release, estimated: the share of the target's variance (without
    /// centring of its mean square about the midpoints) that the line explains. From 0 to 1; 0
    /// where the target was not seen to vary. What was measured: docs/derived.md#explained-share.
    double r_squared = 0.0;
    /// The penalty at which ridge regression, on columns as mapped and stretched, gives
    /// coefficients of this length; none where they are all zero.
    std::optional<double> ridge;
};

/// The regression of one column on others; no features: on all others. Columns are counted from 0.
/// How far coefficients are shrunk is decided by the release alone. UsageError for columns that are
/// not there, named twice, or both target and feature.
[[nodiscard]] DPCOV_EXPORT Regression derive_regression(const Release& release, Eigen::Index target,
                                                        std::vector<Eigen::Index> features = {},
                                                        double level = 0.95);

}  // namespace dpcov
