// The level up to which eigenvalues may be noise.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"
#include "known_tables.hpp"

namespace dpcov {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using test::Normals;

// At d = 60 the mean of the greatest eigenvalue is 0.958 of the level under Gaussian noise (Tracy
// and Widom: 1 - 1.2065 / (2 d^(2/3)) = 0.961), 0.932 under Wishart noise; of 40 draws the mean
// deviates by 0.0068 and 0.0095 (measured on 600 draws). Four deviations. The controls: levels that
// are 8 % too high, or too low; and the level of Gaussian noise of that deviation is passed by
// Wishart noise.
TEST(NoiseLevel, IsAboutTheGreatestEigenvalueOfTheNoise) {
    constexpr Index d = 60;
    constexpr int draws = 40;
    for (const NoiseShape shape : {NoiseShape::gaussian, NoiseShape::wishart}) {
        Normals normals(11);
        double mean = 0.0;
        for (int draw = 0; draw < draws; ++draw) {
            mean += detail::greatest_eigenvalue_found(normals.noise(shape, d, 0.3, d + 1)) / draws;
        }
        Release release;
        release.covariance = MatrixXd::Zero(d, d);
        release.statistics.noise = shape;
        release.statistics.complete = true;
        release.statistics.rows = 1000.0;
        EXPECT_FALSE(noise_level(release));
        const MatrixXd zero = MatrixXd::Zero(d, d);
        release.statistics.strata = {{.second_moment = zero, .noise_scale = 0.3}};
        const double level = noise_level(release).value();
        release.statistics.strata = {{.second_moment = zero, .noise_scale = 0.3 * 0.6},
                                     {.second_moment = zero, .noise_scale = 0.3 * 0.8}};
        EXPECT_NEAR(noise_level(release).value(), level, 1e-12 * level);  // variances add up
        release.statistics.complete = false;
        EXPECT_FALSE(noise_level(release));
        const bool gaussian = shape == NoiseShape::gaussian;
        const double expected = gaussian ? 0.958 : 0.932;
        const double allowed = 4.0 * (gaussian ? 0.0068 : 0.0095);
        EXPECT_NEAR(mean / level, expected, allowed);
        EXPECT_GT(mean / (0.92 * level), expected + allowed);
        EXPECT_LT(mean / (1.08 * level), expected - allowed);
        EXPECT_EQ(mean > 0.3 * std::sqrt(2.0 * d), shape == NoiseShape::wishart);
    }
}

}  // namespace
}  // namespace dpcov
