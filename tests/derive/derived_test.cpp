// What holds of all that is derived: nonsense is refused, and intervals are numbers.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "derive/column_units.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/release.hpp"
#include "dpcov/schema.hpp"
#include "dpcov/second_moment.hpp"
#include "known_tables.hpp"

namespace dpcov {
namespace {

using Eigen::MatrixXd;
using test::Normals;
using test::released;
using test::truth_of;

TEST(Derived, WithoutStatisticsSaysWhy) {
    Release release;
    release.method = "em";
    release.covariance = MatrixXd::Identity(2, 2);
    EXPECT_NE(derive_covariance(release).why, "");
    EXPECT_NE(derive_correlation(release).why, "");
    EXPECT_NE(derive_pca(release, 1).explained_variance.why, "");
    EXPECT_NE(derive_regression(release, 0).coefficients.why, "");
    EXPECT_TRUE(std::isnan(derive_covariance(release).lower(0, 0)));
    EXPECT_THROW(static_cast<void>(derive_mean(release)), UsageError);
}

TEST(Derived, RefusesNonsense) {
    Release release;
    release.covariance = MatrixXd::Identity(3, 3);
    EXPECT_THROW(static_cast<void>(derive_covariance(release, 0.0)), UsageError);
    EXPECT_THROW(static_cast<void>(derive_covariance(release, 1.0)), UsageError);
    EXPECT_THROW(static_cast<void>(derive_covariance(release, std::nan(""))), UsageError);
    EXPECT_THROW(static_cast<void>(derive_pca(release, 0)), UsageError);
    EXPECT_THROW(static_cast<void>(derive_pca(release, 4)), UsageError);
    EXPECT_THROW(static_cast<void>(derive_regression(release, 3)), UsageError);
    EXPECT_THROW(static_cast<void>(derive_regression(release, -1)), UsageError);
    EXPECT_THROW(static_cast<void>(derive_regression(release, 0, {0})), UsageError);
    EXPECT_THROW(static_cast<void>(derive_regression(release, 0, {1, 1})), UsageError);
    release.covariance = MatrixXd::Identity(1, 1);
    EXPECT_THROW(static_cast<void>(derive_regression(release, 0)), UsageError);
    // Parts of other sizes.
    Release none;
    none.schema = {{.name = "a", .bounds = {{0.0, 1.0}}}};
    EXPECT_THROW(static_cast<void>(in_table_units(none)), UsageError);
    EXPECT_THROW(static_cast<void>(estimate_covariance(none)), UsageError);
    EXPECT_THROW(static_cast<void>(derive_covariance(none)), UsageError);
    EXPECT_THROW(static_cast<void>(derive_mean(none)), UsageError);
    release.statistics.strata.push_back({.second_moment = MatrixXd::Identity(2, 2)});
    EXPECT_THROW(static_cast<void>(estimate_covariance(release)), UsageError);
}

// What was summed does not depend on the units in which a release tells it; it was stretched.
TEST(Derived, TheCovarianceAsSummedIsOneInAllUnits) {
    Release release;
    release.covariance = MatrixXd{{0.5, 0.125}, {0.125, 0.25}};
    release.schema = {{.bounds = ColumnBounds{0.0, 10.0}}, {.bounds = ColumnBounds{-3.0, 1.0}}};
    EXPECT_EQ(detail::covariance_as_summed(release), release.covariance);
    EXPECT_TRUE(detail::covariance_as_summed(in_table_units(release)).isApprox(release.covariance));
    release.stretch = Eigen::VectorXd{{2.0, 4.0}};
    const MatrixXd stretched{{2.0, 1.0}, {1.0, 4.0}};
    EXPECT_TRUE(detail::covariance_as_summed(release).isApprox(stretched));
    EXPECT_TRUE(detail::covariance_as_summed(in_table_units(release)).isApprox(stretched));
}

// Without bounds there is nothing to bring back: values that a scale divided stay divided.
TEST(Derived, ValuesThatAScaleDividedAreInNoOtherUnits) {
    Release release;
    release.covariance = MatrixXd::Identity(2, 2);
    release.schema = {{.scale = 2.0}, {.scale = 3.0}};
    const Release again = in_table_units(release);
    EXPECT_FALSE(again.table_units);
    EXPECT_EQ(again.covariance, release.covariance);
}

// Whoever has LAPACK look at these is told that it did not converge, as if the device were at
// fault. Control: the release itself.
TEST(Derived, RefusesNumbersThatNoReleaseHas) {
    const Schema schema(3, {.bounds = ColumnBounds{0.0, 1.0}});
    SecondMoment moment({.schema = schema});
    moment.add(0.5 * (MatrixXd::Random(3000, 3).array() + 1.0).matrix());
    const Release release = dpcov::release(moment, Rho(0.5), {.center = true, .insecure_seed = 1});
    const auto refused = [](const Release& spoilt) {
        EXPECT_THROW(static_cast<void>(in_table_units(spoilt)), UsageError);
        EXPECT_THROW(static_cast<void>(estimate_covariance(spoilt)), UsageError);
        EXPECT_THROW(static_cast<void>(derive_covariance(spoilt)), UsageError);
        EXPECT_THROW(static_cast<void>(derive_pca(spoilt, 1)), UsageError);
        EXPECT_THROW(static_cast<void>(derive_regression(spoilt, 0)), UsageError);
    };
    for (const double bad :
         {std::nan(""), std::numeric_limits<double>::infinity(), -1e308, 1e308}) {
        Release spoilt = release;
        spoilt.covariance(1, 0) = bad;
        refused(spoilt);
        spoilt = release;
        (*spoilt.mean)[2] = bad;
        refused(spoilt);
        spoilt = release;
        ASSERT_FALSE(spoilt.statistics.strata.empty());
        spoilt.statistics.strata[0].second_moment(2, 2) = bad;
        refused(spoilt);
        spoilt = release;
        spoilt.statistics.strata[0].noise_scale = bad;
        refused(spoilt);
        spoilt = release;
        spoilt.norm_bound = bad;
        refused(spoilt);
    }
    Release spoilt = release;
    spoilt.norm_bound = 1e-300;
    refused(spoilt);
    spoilt = release;
    spoilt.statistics.rows = 1e-300;
    refused(spoilt);
    spoilt = release;
    spoilt.schema[1].bounds = ColumnBounds{-1e308, 1e308};
    refused(spoilt);
    EXPECT_NO_THROW(static_cast<void>(derive_pca(release, 1)));
    EXPECT_NO_THROW(static_cast<void>(estimate_covariance(release)));
}

// Columns that hardly vary by themselves, and yet together: divided by their deviations they are
// beyond all range.
TEST(Derived, RefusesCorrelationsThatNoReleaseHas) {
    Release release;
    release.method = "em";
    release.covariance = MatrixXd::Constant(3, 3, 0.1);
    EXPECT_NO_THROW(static_cast<void>(derive_pca(release, 1, 0.95, ComponentsOf::correlation)));
    for (const double variance : {1e-150, 1e-310}) {
        release.covariance.diagonal().setConstant(variance);
        EXPECT_NO_THROW(static_cast<void>(derive_pca(release, 1)));
        EXPECT_THROW(static_cast<void>(derive_pca(release, 1, 0.95, ComponentsOf::correlation)),
                     UsageError);
        EXPECT_THROW(static_cast<void>(derive_correlation(release)), UsageError);
    }
}

// A level that is 1 but for the last digit has an interval; half of it and half a one are one.
TEST(Derived, LevelsNextToOneAreLevels) {
    Normals normals(31);
    const Release release =
        released(truth_of(3, true, normals), NoiseShape::gaussian, 1e-3, normals);
    const MatrixEstimate told = derive_covariance(release, 1.0 - 0x1p-53);
    const MatrixEstimate less = derive_covariance(release, 0.999);
    EXPECT_TRUE(told.upper.allFinite());
    EXPECT_GT(told.upper(0, 0), less.upper(0, 0));
}

// At every norm bound that there may be: scales of noise go with its square, and shares of their
// fourth powers are asked for.
TEST(Derived, IntervalsAreNumbersAtEveryNormBound) {
    for (const double norm_bound : {1e-60, 1.0, 1e60}) {
        SecondMoment moment({.columns = 2, .norm_bound = norm_bound});
        moment.add(norm_bound * MatrixXd::Identity(2, 2).replicate(500, 1).eval());
        const Release release = dpcov::release(moment, Epsilon(5.0), {.insecure_seed = 1});
        const MatrixEstimate told = derive_covariance(release);
        EXPECT_TRUE(told.upper.allFinite()) << norm_bound;
        EXPECT_TRUE(derive_pca(release, 1).explained_variance_ratio.upper.allFinite())
            << norm_bound;
    }
}

// Bounds may be as little as 1e-60 apart: shares are the same in whatever unit, and variances go
// with its square.
TEST(Derived, IntervalsOfComponentsAreNumbersInEveryUnit) {
    const auto components_of = [](double unit) {
        SecondMoment moment({.schema = {{.bounds = ColumnBounds{0.0, unit}},
                                        {.bounds = ColumnBounds{0.0, 3.0 * unit}}}});
        Eigen::Matrix2d rows;
        rows << 0.0, 3.0, 1.0, 1.0;
        moment.add((unit * rows).replicate(500, 1).eval());
        return derive_pca(
            in_table_units(dpcov::release(moment, Rho(5.0), {.center = true, .insecure_seed = 1})),
            2);
    };
    const PrincipalComponents one = components_of(1.0);
    const double tiny = 0x1p-198;  // 2.5e-60
    const PrincipalComponents other = components_of(tiny);
    ASSERT_TRUE(one.explained_variance_ratio.lower.allFinite());
    EXPECT_EQ(one.explained_variance_ratio.lower, other.explained_variance_ratio.lower);
    EXPECT_EQ(one.explained_variance_ratio.upper, other.explained_variance_ratio.upper);
    EXPECT_EQ(one.explained_variance.upper, other.explained_variance.upper / tiny / tiny);
}

// No variance is below zero, and about another origin than the middle of the bounds a mean square
// may be up to (1 + |origin|)^2: neither end of an interval says else.
TEST(Derived, IntervalsOfVariancesKeepToWhatCanBe) {
    const Schema schema(2, {.bounds = ColumnBounds{.lower = -1.0, .upper = 1.0}});
    SecondMoment moment({.schema = schema, .origin = {0.9, 0.0}});
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3000, 2);
    rows.col(0).setConstant(-1.0);
    moment.add(rows);
    const Release released =
        release(moment, Rho(0.5), {.method = "gauss", .center = false, .insecure_seed = 44});
    const MatrixEstimate told = derive_covariance(released);
    EXPECT_GT(told.upper(0, 0), 3.5);  // of 1.9^2
    EXPECT_LE(told.upper(0, 0), 1.9 * 1.9 + 1e-9);
    EXPECT_EQ(told.lower(1, 1), 0.0);
    EXPECT_GT(derive_pca(released, 1).explained_variance.upper[0], 3.5);
}

}  // namespace
}  // namespace dpcov
