// The covariance that is derived from a release.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "known_tables.hpp"

namespace dpcov {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using test::Normals;

// So much budget that the number of rows errs by less than one, and is told as a whole number. Of
// 12000 variances in 4000 releases 0.951 are covered, with a deviation of 0.0026 (measured on
// twelve times as many others): five of them. The controls are noise of n that is not rounded,
// 0.923 (0.002), and noise of n that has nothing in common with that of the variances, 0.971
// (0.0015).
TEST(DerivedCovariance, CoversWhereTheNumberOfRowsIsRounded) {
    SecondMoment moment({.columns = 3, .norm_bound = 2.0});
    Normals normals(37);
    MatrixXd rows(70, 3);
    for (Index i = 0; i < rows.rows(); ++i) {
        rows.row(i) = 0.9 + 0.1 * normals.vector(3).array().max(-3.0).min(3.0);
    }
    moment.add(rows);
    const MatrixXd truth = rows.transpose() * rows / static_cast<double>(rows.rows());
    int covered = 0;
    int covered_not_rounded = 0;
    int covered_by_independent = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        const Release release = dpcov::release(
            moment, Rho(30.0),
            {.method = "gauss", .neighbours = Neighbours::add_remove, .insecure_seed = seed});
        const MatrixEstimate told = derive_covariance(release);
        auto not_rounded = detail::noisy_covariance(release).value();
        const NoisyMoment& all = release.statistics.strata.front();
        const double sigma = release.statistics.rows_deviation;
        double rounded = 0.0;  // the variance of a normal variable's nearest whole number
        for (const double k : {0.0, 1.0, 2.0, 3.0}) {
            rounded += (2.0 * k + 1.0) * std::erfc((k + 0.5) / (sigma * std::numbers::sqrt2));
        }
        EXPECT_NEAR(not_rounded.relative_rows_variance * std::pow(release.statistics.rows, 2),
                    rounded, 1e-9);
        not_rounded.relative_rows_variance =
            std::pow(release.statistics.rows_deviation / release.statistics.rows, 2);
        not_rounded.rows_covariance = std::pow(all.noise_scale / all.radius, 2);
        auto independent = detail::noisy_covariance(release).value();
        independent.rows_covariance = 0.0;
        for (Index j = 0; j < 3; ++j) {
            covered += told.lower(j, j) <= truth(j, j) && truth(j, j) <= told.upper(j, j) ? 1 : 0;
            const auto covers = [&](const detail::NoisyCovariance& noisy) {
                const auto variance = linear_function(noisy, j, j, {.ii = 1.0});
                return std::fabs(variance.value - truth(j, j)) < 1.96 * std::sqrt(variance.variance)
                           ? 1
                           : 0;
            };
            covered_not_rounded += covers(not_rounded);
            covered_by_independent += covers(independent);
        }
    }
    EXPECT_NEAR(covered, 0.951 * 12000, 5 * 0.0026 * 12000);
    EXPECT_LT(covered_not_rounded, (0.951 - 5 * 0.0026) * 12000);
    EXPECT_GT(covered_by_independent, (0.951 + 5 * 0.0026) * 12000);
}

// The number of rows is private, and noise of a third of it. The column lies far from the middle of
// its bounds, where too great a number makes its variance too great: a - b of 0.58 - 0.55 becomes
// 0.36 - 0.21 by 1.6 times the rows. 0.945 of 2000 releases are covered, with a deviation of
// 0.005: four are allowed. Control: to first order in the noise of the number, 0.904 (0.007).
TEST(DerivedCovariance, CoversWhereTheNumberOfRowsIsLostInNoise) {
    SecondMoment moment({.schema = {{.bounds = ColumnBounds{-1.0, 1.0}}}});
    Normals normals(38);
    MatrixXd rows(100, 1);
    for (Index i = 0; i < rows.rows(); ++i) {
        rows.row(i) = -0.74 + 0.18 * normals.vector(1).array().max(-1.4).min(3.0);
    }
    moment.add(rows);
    const double truth = (rows.array() - rows.mean()).square().mean();
    int covered = 0;
    int covered_to_first_order = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const Release release = dpcov::release(moment, Rho(3e-3),
                                               {.method = "gauss",
                                                .neighbours = Neighbours::add_remove,
                                                .center = true,
                                                .insecure_seed = seed});
        const MatrixEstimate told = derive_covariance(release);
        covered += told.lower(0, 0) <= truth && truth <= told.upper(0, 0) ? 1 : 0;
        EXPECT_GT(told.upper(0, 0), told.lower(0, 0));
        const auto plain = linear_function(*detail::noisy_covariance(release), 0, 0, {.ii = 1.0});
        covered_to_first_order +=
            std::fabs(plain.value - truth) <= 1.96 * std::sqrt(plain.variance) ? 1 : 0;
        // Where the noisy number may be noise alone, nothing is told, and it is said why.
        const VectorEstimate mean = derive_mean(release);
        EXPECT_EQ(mean.why.empty(), told.why.empty());
        if (!told.why.empty()) {
            EXPECT_EQ(told.lower(0, 0), 0.0);
            EXPECT_EQ(told.upper(0, 0), 1.0);
            EXPECT_EQ(mean.lower[0], -1.0);
            EXPECT_EQ(mean.upper[0], 1.0);
        }
    }
    EXPECT_NEAR(covered, 0.945 * 2000, 0.02 * 2000);
    EXPECT_LT(covered_to_first_order, 0.925 * 2000);
}

}  // namespace
}  // namespace dpcov
