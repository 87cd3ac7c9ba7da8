#include "derive/noisy_covariance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"

namespace dpcov {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// From what a release holds: A - m m^T + v I, whose diagonal is not too small on average; with the
// kurtosis of a Wishart entry, which is a part of the joint matrix where there is a mean.
TEST(NoisyCovariance, IsMadeOfTheStatisticsOfARelease) {
    constexpr Index d = 3;
    SecondMoment moment({.columns = d, .norm_bound = 1.0});
    moment.add(Eigen::MatrixXd::Constant(500, d, 0.3));
    const auto released = [&](const char* method, const Definition& definition, bool center,
                              Neighbours neighbours) {
        return release(
            moment, definition,
            {.method = method, .neighbours = neighbours, .center = center, .insecure_seed = 41});
    };
    const Release gauss = released("gauss", Rho(0.1), true, Neighbours::replace);
    const NoisyMoment& all = gauss.statistics.strata.at(0);
    const auto noisy = detail::noisy_covariance(gauss);
    ASSERT_TRUE(noisy);
    MatrixXd expected = all.second_moment - all.mean * all.mean.transpose();
    expected.diagonal().array() += all.mean_noise_scale * all.mean_noise_scale;
    EXPECT_LT((noisy->matrix - expected).norm(), 1e-12);
    EXPECT_EQ(noisy->excess_kurtosis, 0.0);

    for (const bool center : {false, true}) {
        const Release wishart = released("wishart", Epsilon(1.0), center, Neighbours::replace);
        const double degrees = d + (center ? 2.0 : 1.0);
        EXPECT_NEAR(detail::noisy_covariance(wishart).value().excess_kurtosis, 6.0 / degrees, 1e-12)
            << center;
    }

    // A noisy number of rows is rounded before anything is divided by it: 1/12 more of variance.
    Release counted = released("gauss", Rho(0.1), true, Neighbours::add_remove);
    ASSERT_TRUE(counted.statistics.counted_with_strata);
    counted.statistics.rows_deviation = 1.5;
    EXPECT_NEAR(detail::noisy_covariance(counted).value().relative_rows_variance *
                    counted.statistics.rows * counted.statistics.rows,
                1.5 * 1.5 + 1.0 / 12.0, 1e-9);
}

}  // namespace
}  // namespace dpcov
