#include "derive/linear_function.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>

#include "derive/noisy_covariance.hpp"
#include "known_tables.hpp"

namespace dpcov {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Normals;
using test::released;
using test::Truth;
using test::truth_of;

TEST(LinearFunction, OfAPairAndAlongADirectionAgree) {
    Normals normals(28);
    const Truth truth = truth_of(4, true, normals);
    const auto noisy = detail::noisy_covariance(released(truth, NoiseShape::wishart, 0.1, normals));
    ASSERT_TRUE(noisy);
    const VectorXd none = VectorXd::Zero(4);
    // (a e_1 + b e_3)(a e_1 + b e_3)^T - diag(0, l, 0, 0)
    VectorXd q = VectorXd::Zero(4);
    q[1] = 0.3;
    q[3] = -0.7;
    VectorXd less = none;
    less[1] = 0.2;
    const auto along = linear_function(*noisy, q, less);
    const auto pair =
        linear_function(*noisy, 1, 3, {.ii = 0.3 * 0.3 - 0.2, .jj = 0.7 * 0.7, .ij = -0.3 * 0.7});
    EXPECT_NEAR(along.value, pair.value, 1e-14);
    EXPECT_NEAR(along.variance, pair.variance, 1e-14);
    EXPECT_NEAR(along.excess_kurtosis, pair.excess_kurtosis, 1e-12);
}

// The variance to first order is that of the noises that do not depend on each other's, with what
// the number of rows moves: f'(0) of f(x) = (a - x slope)/(1 - x) - b/(1 - x)^2, b by the noisy
// mean.
TEST(LinearFunction, TellsApartWhatTheNumberOfRowsDoes) {
    Normals normals(39);
    const Truth truth = truth_of(4, true, normals);
    auto noisy = detail::noisy_covariance(released(truth, NoiseShape::gaussian, 0.1, normals));
    ASSERT_TRUE(noisy);
    noisy->relative_rows_variance = 0.04;
    noisy->rows_covariance = 0.01;
    const auto function = linear_function(*noisy, 1, 1, {.ii = 1.0});
    const detail::DividedByRows& rows = function.rows;
    EXPECT_NEAR(rows.matrix_slope, 0.25, 1e-12);
    const double of_noisy_mean = rows.of_mean + noisy->mean_noise_variance;
    const double moved = function.value - of_noisy_mean - rows.matrix_slope;
    EXPECT_NEAR(rows.matrix_variance + rows.mean_variance + 0.04 * moved * moved, function.variance,
                1e-12);
}

// What q_i^2 and e_i have in common is 10^12 times what they differ by. In 64 bits of mantissa
// half of a thousandth of that is left.
TEST(LinearFunction, IsExactWhereOneColumnHasNearlyAll) {
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const Index d = 5;
    VectorXd q(d);
    q << 0.3, 1e4, -0.2, 0.05, 0.7;
    VectorXd less(d);
    less << 0.5, 1e8 * (1.0 - 1e-12), 0.1, 0.4, 0.2;
    Long weights = q.cast<long double>() * q.cast<long double>().transpose();
    weights.diagonal() -= less.cast<long double>();
    const long double squared = weights.squaredNorm();
    const long double quartic = (weights * weights).squaredNorm();

    detail::NoisyCovariance noisy;
    noisy.matrix = MatrixXd::Identity(d, d);
    noisy.mean = VectorXd::Zero(d);
    noisy.noise_variance = 0.25;
    noisy.excess_kurtosis = 0.5;
    const auto along = linear_function(noisy, q, less);
    EXPECT_NEAR(along.variance / (0.25 * static_cast<double>(squared)), 1.0, 1e-9);
    EXPECT_NEAR(along.excess_kurtosis / (0.5 * static_cast<double>(quartic / (squared * squared))),
                1.0, 1e-9);
}

// Of one column: N of variance s^2, and the noise e of its mean in 2 mu e + e^2 - v, of variance
// 4 mu^2 v + 2 v^2; a mean that is seen to be m has mu^2 = m^2 - v on average, or nothing.
TEST(LinearFunction, HasTheNoiseOfAMeanAndOfItsSquare) {
    constexpr double s = 0.3;
    constexpr double v = 0.2;
    for (const double m : {0.0, 0.1, 2.0}) {
        detail::NoisyCovariance noisy{.matrix = MatrixXd::Ones(1, 1),
                                      .mean = VectorXd::Constant(1, m),
                                      .noise_variance = s * s,
                                      .mean_noise_variance = v};
        const double expected = s * s + 4.0 * v * std::max(0.0, m * m - v) + 2.0 * v * v;
        EXPECT_NEAR(linear_function(noisy, 0, 0, {.ii = 1.0}).variance, expected, 1e-12) << m;
    }
}

}  // namespace
}  // namespace dpcov
