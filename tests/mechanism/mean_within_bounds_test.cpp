#include "mechanism/mean_within_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "estimate/truncated_normal.hpp"

namespace dpcov::test {
namespace {

using detail::mean_within_one;

Release release_of_three_columns() {
    Release release;
    release.schema = {{.name = "a", .bounds = ColumnBounds{.lower = 0.0, .upper = 1.0}},
                      {.name = "b", .bounds = ColumnBounds{.lower = -5.0, .upper = 5.0}},
                      {.name = "c"}};
    release.statistics.rows = 100.0;
    return release;
}

TEST(MeanWithinBounds, IsThatOfTheTruncatedLaw) {
    Release release = release_of_three_columns();
    const Eigen::VectorXd mean{{0.9, -3.0, 7.0}};
    const Eigen::ArrayXd deviations{{0.2, 0.5, 9.0}};
    Eigen::VectorXd told = detail::mean_within_bounds(mean, deviations, release);
    EXPECT_DOUBLE_EQ(told[0], mean_within_one(0.9, 0.2));
    EXPECT_DOUBLE_EQ(told[1], mean_within_one(-3.0, 0.5));
    EXPECT_EQ(told[2], 7.0);  // it has no bounds

    // The number of rows is noisy, too.
    release.statistics.rows_deviation = 10.0;
    told = detail::mean_within_bounds(mean, deviations, release);
    // The last bit of the deviation, which compilers round differently, counts some tens of times.
    EXPECT_NEAR(told[1], mean_within_one(-3.0, std::hypot(0.5, 0.3)), 1e-14);

    // Rows that were moved by `origin`, then stretched.
    release.statistics.rows_deviation = 0.0;
    release.origin = Eigen::VectorXd{{0.5, -0.25, 0.0}};
    release.stretch = Eigen::VectorXd{{4.0, 2.0, 1.0}};
    told = detail::mean_within_bounds(mean, deviations, release);
    EXPECT_NEAR(0.5 + told[0] / 4.0, mean_within_one(0.5 + 0.9 / 4.0, 0.05), 1e-15);
    EXPECT_NEAR(-0.25 + told[1] / 2.0, mean_within_one(-0.25 - 3.0 / 2.0, 0.25), 1e-15);
}

TEST(MeanWithinBounds, DoesNotMoveWhatNoiseLeavesFarFromThem) {
    Release release = release_of_three_columns();
    release.origin = Eigen::VectorXd{{0.1, -0.3, 0.0}};
    release.stretch = Eigen::VectorXd{{3.0, 7.0, 1.0}};
    const Eigen::VectorXd mean{{0.1, 0.7, 0.0}};
    EXPECT_EQ(detail::mean_within_bounds(mean, Eigen::ArrayXd::Constant(3, 0.01), release), mean);
}

// Noise hides the mean of rows that all are at the same place. Root mean square error of a column
// in half-ranges, of 40 releases: 0.071, as the midpoints have it. Control: what
// is clamped to the bounds errs by more than a half.
TEST(MeanWithinBounds, OfAHiddenMeanErrsAsTheMidpoints) {
    SecondMoment moment({.norm_bound = 10.0, .schema = release_of_three_columns().schema});
    const Eigen::Vector3d at(0.5, 0.5, 0.0);
    const Eigen::Array2d truth(0.0, 0.1);
    moment.add(at.transpose().replicate(100, 1));
    for (const char* method : {"auto", "gauss", "separate"}) {
        SCOPED_TRACE(method);
        double square = 0.0;
        double square_of_clamped = 0.0;
        constexpr int releases = 40;
        for (std::uint64_t seed = 0; seed < releases; ++seed) {
            const Release released = release(
                moment, Rho(1e-8), {.method = method, .center = true, .insecure_seed = seed});
            square += (released.mean->head(2).array() - truth).square().mean() / releases;
            const Statistics& statistics = released.statistics;
            const Eigen::VectorXd noisy =
                statistics.mean ? *statistics.mean : statistics.strata.front().mean;
            square_of_clamped +=
                (noisy.head(2).array().max(-1.0).min(1.0) - truth).square().mean() / releases;
        }
        EXPECT_LT(std::sqrt(square), 0.08);
        EXPECT_GT(std::sqrt(square_of_clamped), 0.5);
    }
}

}  // namespace
}  // namespace dpcov::test
