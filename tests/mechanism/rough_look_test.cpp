// What a first look at the rows tells: a rough mean, and how to stretch columns.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "arithmetic/packed_symmetric.hpp"
#include "dpcov/second_moment.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/people_far_from_midpoints.hpp"
#include "mechanism/rough_mean.hpp"
#include "mechanism/rough_stretch.hpp"
#include "mechanism/sensitivity.hpp"
#include "moment/secret_door.hpp"
#include "random/statistics.hpp"

namespace dpcov::test {
namespace {

using Eigen::VectorXd;

detail::ExactSums squares_of(const Eigen::RowVectorXd& row) {
    SecondMoment moment(
        {.schema = Schema(static_cast<std::size_t>(row.size()), {.bounds = {{-1.0, 1.0}}})});
    moment.add(row);
    return detail::column_squares(*detail::SecretDoor::open(moment));
}

// How far the squares of two rows are apart, in what is said to be the most.
detail::Sensitivity share_of_distance(const Eigen::RowVectorXd& one,
                                      const Eigen::RowVectorXd& other) {
    const detail::ExactSums squares = squares_of(one);
    const detail::ExactSums others = squares_of(other);
    detail::Sensitivity apart{.l1 = 0.0, .l2 = 0.0};
    for (std::size_t j = 0; j < squares.size(); ++j) {
        const auto difference = static_cast<double>(squares[j] - others[j]);
        apart.l1 += std::fabs(difference);
        apart.l2 += std::pow(difference, 2);
    }
    const detail::Sensitivity most = detail::squares_sensitivity(squares.size());
    return {.l1 = apart.l1 / most.l1, .l2 = std::sqrt(apart.l2) / most.l2};
}

// Rows within the bounds move their squares by no more than is said, and some by as much.
TEST(RoughStretch, SensitivityHolds) {
    std::mt19937_64 random(4);
    for (const Eigen::Index d : {1, 2, 7, 30}) {
        const Eigen::RowVectorXd zeros = Eigen::RowVectorXd::Zero(d);
        double greatest = 0.0;
        for (int i = 0; i < 60; ++i) {
            Eigen::RowVectorXd row(d);
            for (double& value : row) {
                value = i % 3 == 0 ? 1.0 : std::uniform_real_distribution(-1.0, 1.0)(random);
                value *= i % 5 == 1 ? 1e-3 : 1.0;
            }
            const detail::Sensitivity share = share_of_distance(row, zeros);
            EXPECT_LE(share.l1, 1.0);
            EXPECT_LE(share.l2, 1.0);
            greatest = std::fmax(greatest, share.l2);
        }
        EXPECT_GT(greatest, 0.999) << d;
    }
}

// A row of ones and zeros in turn, replaced by that of zeros and ones: every value is as far from
// the other's as can be. Unlike a row of ones alone these are shorter than the norm bound, so
// nothing keeps their values from being rounded up. That takes part of the unit of the grid which
// the distance adds: without it such pairs are beyond, at d = 8 by two millionths.
TEST(RoughStretch, SensitivityHoldsOfRowsThatAreReplaced) {
    double greatest = 0.0;
    for (Eigen::Index d = 1; d <= 40; ++d) {
        Eigen::RowVectorXd one = Eigen::RowVectorXd::Zero(d);
        Eigen::RowVectorXd other = one;
        for (Eigen::Index j = 0; j < d; ++j) {
            (j % 2 == 0 ? one : other)[j] = 1.0;
        }
        const detail::Sensitivity share = share_of_distance(one, other);
        EXPECT_LE(share.l1, 1.0) << d;
        EXPECT_LE(share.l2, 1.0) << d;
        greatest = std::fmax(greatest, share.l1);
    }
    EXPECT_GT(greatest, 1.0 - 1e-5);
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
        detail::rough_stretch(*secret, {20000.0}, origin, 1e-7, Rho(1e6), random).factors;
    const VectorXd deviations = People::half_ranges().cwiseInverse().cwiseProduct(
        people.covariance().diagonal().cwiseSqrt());
    for (Eigen::Index j = 0; j < People::columns; ++j) {
        EXPECT_NEAR(clear[static_cast<std::size_t>(j)], 1.0 / std::sqrt(deviations[j]),
                    0.02 / std::sqrt(deviations[j]));
    }
    const double least =
        std::sqrt(std::sqrt(0.5 * std::sqrt(3.0) / std::sqrt(2.0 * 1e-3) / 20000.0));
    for (const double factor :
         detail::rough_stretch(*secret, {20000.0}, origin, 0.0, Rho(1e-3), random).factors) {
        EXPECT_GE(factor, 1.0);
        EXPECT_LE(factor, 1.0 / least + 1.0 / 64.0);
    }
}

// Of the second column half of the noise of its square hides all there is with a chance of 0.66,
// and so in one of 20 draws but for 4 * 10^-10; the noise of the origin hides more. Controls: three
// quarters of the noise, and of the origin's.
TEST(RoughStretch, IsAsFarAsNoiseHides) {
    const People people(20000);
    const SecondMoment moment = people.moment();
    const auto secret = detail::SecretDoor::open(moment);
    const std::vector<double> origin = {0.6, -0.982, -0.8};
    const double noise = std::sqrt(3.0) / std::sqrt(2.0 * 1e-3) / 20000.0;
    for (const double of_origin : {0.0, 0.003}) {
        SeededRandomSource random(8);
        double greatest = 0.0;
        for (int i = 0; i < 20; ++i) {
            greatest = std::fmax(greatest, detail::rough_stretch(*secret, {20000.0}, origin,
                                                                 of_origin, Rho(1e-3), random)
                                               .factors[1]);
        }
        const auto factor = [&](double share) {
            return std::pow(share * 0.5 * noise + share * 0.982 * of_origin, -0.25);
        };
        EXPECT_NEAR(greatest, factor(1.0), 1.0 / 64.0);
        EXPECT_GT(factor(0.75), factor(1.0) + 1.0 / 64.0);
    }
}

// The trace is that of the rows as they are stretched, and its noise has the deviation that is
// said: of 400 draws the variance is within a quarter of it but in 4 of 10^4 such tests, of which
// there are two: most of it is the origin's, or that of the number of rows. Control: without these
// parts it would be half of that.
TEST(RoughStretch, TellsTheTraceThatIsLeft) {
    const People people(20000);
    const SecondMoment moment = people.moment();
    const auto secret = detail::SecretDoor::open(moment);
    const VectorXd units = People::half_ranges().cwiseInverse();
    const VectorXd mean = people.mean().cwiseProduct(units) - VectorXd::Ones(People::columns);
    SeededRandomSource random(9);
    std::mt19937_64 generator(10);
    std::normal_distribution<double> normal;
    const VectorXd variances = people.covariance().diagonal().cwiseProduct(units.cwiseAbs2());
    const double of_origin = 1e-3;
    const int draws = 400;
    for (const double of_rows : {10.0, 100.0}) {
        double square = 0.0;
        double without_either = 0.0;
        for (int i = 0; i < draws; ++i) {
            const double rows = 20000.0 + of_rows * normal(generator);
            std::vector<double> origin;
            for (const double value : mean) {
                origin.push_back(value * 20000.0 / rows + of_origin * normal(generator));
            }
            const detail::RoughStretch rough = detail::rough_stretch(
                *secret, {rows, of_rows}, origin, of_origin, Rho(0.1), random);
            const detail::RoughStretch exact =
                detail::rough_stretch(*secret, {rows}, origin, 0.0, Rho(0.1), random);
            double trace = 0.0;
            for (Eigen::Index j = 0; j < People::columns; ++j) {
                trace += std::pow(rough.factors[static_cast<std::size_t>(j)], 2) * variances[j];
            }
            square += std::pow((rough.trace - trace) / rough.trace_deviation, 2) / draws;
            without_either += std::pow(exact.trace_deviation / rough.trace_deviation, 2) / draws;
        }
        EXPECT_NEAR(square, 1.0, 0.25) << of_rows;
        EXPECT_LT(without_either, 0.5) << of_rows;
    }
}

// The rough mean is the mean but for its noise, within six deviations and what the grid rounds. The
// noise itself is held against its law in Statistics.HaveTheMeanThatWasReleasedApart.
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
}

// Where the squared length is above that of the noise on average the mean is shortened by as much
// as James and Stein would, kept within the bounds, and told on a grid; else it is none. Nothing is
// random beside the noisy mean, which is drawn of the same seed. Control: that one itself.
TEST(RoughMean, IsTheNoisyMeanShrunk) {
    const People people(20000);
    const SecondMoment moment = people.moment();
    const auto secret = detail::SecretDoor::open(moment);
    const auto on_grid = [](double value) {
        return std::round(1024.0 * std::clamp(value, -1.0, 1.0)) / 1024.0;
    };
    int shrunk = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SeededRandomSource one(seed);
        SeededRandomSource same(seed);
        const detail::NoisyMean noisy =
            detail::noisy_mean(*secret, Neighbours::replace, 20000.0, Rho(2e-7), one);
        const std::vector<double> mean =
            detail::rough_mean(*secret, Neighbours::replace, 20000.0, Rho(2e-7), same);
        const double kept =
            1.0 - 3.0 * noisy.deviation * noisy.deviation / noisy.mean.squaredNorm();
        ASSERT_EQ(mean.empty(), kept <= 0.0) << seed;
        for (std::size_t j = 0; j < mean.size(); ++j) {
            const double value = noisy.mean[static_cast<Eigen::Index>(j)];
            EXPECT_EQ(mean[j], on_grid(kept * value)) << seed;
            shrunk += mean[j] != on_grid(value) ? 1 : 0;
        }
    }
    EXPECT_GE(shrunk, 30);  // of 60; values beyond the bounds stay there
}

// Of noise alone it is none where a chi-squared variable of three degrees of freedom is below
// three, 0.608, or under pure DP the squares of three Laplace variables below what they are on
// average, 0.680 (of 2 * 10^7 draws; on integers of this size the law is that). Of ten thousand it
// is so as often to within five deviations, 6 * 10^-7. Controls: as often as where the noise is
// thought to be half as great again, or two thirds.
TEST(RoughMean, IsNoneOfNoiseAlone) {
    const SecondMoment none({.schema = People::schema()});
    const auto secret = detail::SecretDoor::open(none);
    SeededRandomSource random(5);
    int gauss = 0;
    int laplace = 0;
    for (int i = 0; i < 10000; ++i) {
        gauss +=
            detail::rough_mean(*secret, Neighbours::add_remove, 100.0, Rho(1.0), random).empty()
                ? 1
                : 0;
        laplace +=
            detail::rough_mean(*secret, Neighbours::add_remove, 100.0, Epsilon(1.0), random).empty()
                ? 1
                : 0;
    }
    const auto below = [](double value) { return 10000.0 * (1.0 - chi_square_tail(value, 3)); };
    const double allowed = 5.0 * std::sqrt(10000.0 * 0.25);
    EXPECT_NEAR(gauss, below(3.0), allowed);
    EXPECT_GT(below(3.0 * 1.5), below(3.0) + allowed);
    EXPECT_LT(below(3.0 / 1.5), below(3.0) - allowed);
    EXPECT_NEAR(laplace, 6800.0, allowed);
}

}  // namespace
}  // namespace dpcov::test
