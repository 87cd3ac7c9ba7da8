// What a first look at the rows tells: a rough mean, and how to stretch columns.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "dpcov/second_moment.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/people_far_from_midpoints.hpp"
#include "mechanism/rough_mean.hpp"
#include "mechanism/rough_stretch.hpp"
#include "mechanism/sensitivity.hpp"
#include "moment/secret_door.hpp"

namespace dpcov::test {
namespace {

using Eigen::VectorXd;

// Rows within the bounds move their squares by no more than is said, and some by as much.
TEST(RoughStretch, SensitivityHolds) {
    std::mt19937_64 random(4);
    for (const std::size_t d : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{30}}) {
        const Schema schema(d, {.bounds = {{-1.0, 1.0}}});
        const detail::Sensitivity distance = detail::squares_distance(d);
        double greatest = 0.0;
        for (int i = 0; i < 60; ++i) {
            Eigen::RowVectorXd row(static_cast<Eigen::Index>(d));
            for (double& value : row) {
                value = i % 3 == 0 ? 1.0 : std::uniform_real_distribution(-1.0, 1.0)(random);
                value *= i % 5 == 1 ? 1e-3 : 1.0;
            }
            SecondMoment moment({.schema = schema});
            moment.add(row);
            double l1 = 0.0;
            double l2 = 0.0;
            for (const Int128 square : detail::column_squares(*detail::SecretDoor::open(moment))) {
                l1 += static_cast<double>(square);
                l2 += std::pow(static_cast<double>(square), 2);
            }
            EXPECT_LE(l1, distance.l1);
            EXPECT_LE(std::sqrt(l2), distance.l2);
            greatest = std::fmax(greatest, std::sqrt(l2) / distance.l2);
        }
        EXPECT_GT(greatest, 0.999) << d;
    }
}

// Of wide bounds: over the root of the deviation, where noise hides nothing; else not beyond what
// it hides.
TEST(RoughStretch, IsOverTheRootOfTheDeviation) {
    const People people(20000);
    const SecondMoment moment = people.moment();
    const auto secret = detail::SecretDoor::open(moment);
    const std::vector<double> origin = {0.6, -0.982, -0.8};
    SeededRandomSource random(6);
    const std::vector<double> clear =
        detail::rough_stretch(*secret, 20000.0, origin, 1e-7, Rho(1e6), random);
    const VectorXd deviations = People::half_ranges().cwiseInverse().cwiseProduct(
        people.covariance().diagonal().cwiseSqrt());
    for (Eigen::Index j = 0; j < People::columns; ++j) {
        EXPECT_NEAR(clear[static_cast<std::size_t>(j)], 1.0 / std::sqrt(deviations[j]),
                    0.02 / std::sqrt(deviations[j]));
    }
    const double least =
        std::sqrt(std::sqrt(0.5 * std::sqrt(3.0) / std::sqrt(2.0 * 1e-3) / 20000.0));
    for (const double factor :
         detail::rough_stretch(*secret, 20000.0, origin, 0.0, Rho(1e-3), random)) {
        EXPECT_GE(factor, 1.0);
        EXPECT_LE(factor, 1.0 / least + 1.0 / 64.0);
    }
}

// The rough mean is the mean but for its noise, shrunk; without rows it is none.
TEST(RoughMean, IsNearTheMean) {
    const People people(20000);
    const SecondMoment moment = people.moment();
    const auto secret = detail::SecretDoor::open(moment);
    SeededRandomSource random(5);
    const double deviation =
        detail::rough_mean_deviation(secret->layout(), Neighbours::replace, 20000.0, Rho(0.1));
    EXPECT_NEAR(deviation, 2.0 * std::sqrt(3.0) / std::sqrt(0.2) / 20000.0, 1e-3 * deviation);
    const std::vector<double> mean =
        detail::rough_mean(*secret, Neighbours::replace, 20000.0, Rho(0.1), random);
    ASSERT_EQ(mean.size(), 3U);
    EXPECT_NEAR(mean[0], 0.6, 6.0 * deviation + 1e-3);
    EXPECT_NEAR(mean[1], -0.982, 6.0 * deviation + 1e-3);
    EXPECT_NEAR(mean[2], -0.8, 6.0 * deviation + 1e-3);
    const SecondMoment none({.schema = People::schema()});
    int hidden = 0;
    for (int i = 0; i < 100; ++i) {
        hidden += detail::rough_mean(*detail::SecretDoor::open(none), Neighbours::add_remove, 100.0,
                                     Epsilon(1.0), random)
                      .empty();
    }
    EXPECT_GT(hidden, 30);  // of noise alone about half are not above what noise has on average
}

}  // namespace
}  // namespace dpcov::test
