// The moments of the angular Gaussian law against sampled rows and closed forms.
#include "estimate/direction_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Uniform on the sphere: E[u_i^4] = 3 / (d (d + 2)), E[u_i^2 u_j^2] = 1 / (d (d + 2)).
TEST(DirectionMoments, OfTheSphere) {
    for (const Index d : {1, 2, 10, 200}) {
        const auto size = static_cast<double>(d);
        const MatrixXd variances = direction_variances(VectorXd::Constant(d, 1.0 / size));
        const double product = 1.0 / (size * (size + 2.0));
        const double diagonal = 3.0 * product - 1.0 / (size * size);
        EXPECT_NEAR(variances(0, 0), diagonal, 1e-6 * product) << d;
        if (d > 1) {
            EXPECT_NEAR(variances(0, 1), 2.0 * product, 1e-6 * product) << d;
        }
    }
}

// d = 2: u = (cos a, sin a) of z with variances l and 1 has E[cos^2 a] = sqrt(l) / (1 + sqrt(l))
// and E[cos^2 a sin^2 a] = sqrt(l) / (2 (1 + sqrt(l))^2).
TEST(DirectionMoments, OfTwoCoordinates) {
    for (const double p : {0.5, 0.9, 0.999}) {
        VectorXd shape(2);
        shape << 1.0 - p, p;
        const MatrixXd variances = direction_variances(shape);
        const double both = 0.5 * p * (1.0 - p);
        EXPECT_NEAR(variances(0, 1), 2.0 * both, 1e-5 * both) << p;
        EXPECT_NEAR(variances(1, 1), p - both - p * p, 1e-5 * both) << p;
        EXPECT_EQ(variances(0, 1), variances(1, 0));
    }
}

// One direction of half of all, the rest alike: where rows of one length differ most from Gaussian
// ones, whose variances are in proportion to products of the shape.
TEST(DirectionMoments, OfSampledRows) {
    std::mt19937_64 generator(41);
    std::normal_distribution<double> normal;
    constexpr Index d = 12;
    constexpr int rows = 200000;
    VectorXd deviations = VectorXd::Ones(d);
    deviations[d - 1] = 6.0;
    MatrixXd fourth = MatrixXd::Zero(d, d);
    VectorXd second = VectorXd::Zero(d);
    for (int row = 0; row < rows; ++row) {
        const VectorXd z = VectorXd::NullaryExpr(d, [&] { return normal(generator); });
        VectorXd squares = z.cwiseProduct(deviations).cwiseAbs2();
        squares /= squares.sum();
        second += squares / rows;
        fourth += squares * squares.transpose() / rows;
    }
    const MatrixXd variances = direction_variances(second);
    const auto off_diagonal_sum = [](const MatrixXd& a) { return a.sum() - a.diagonal().sum(); };
    const double rest = off_diagonal_sum(fourth.topLeftCorner(d - 1, d - 1));
    const double modelled_rest = 0.5 * off_diagonal_sum(variances.topLeftCorner(d - 1, d - 1));
    const double with_last = fourth.col(d - 1).head(d - 1).sum();
    const double modelled_with_last = 0.5 * variances.col(d - 1).head(d - 1).sum();
    // 200,000 rows: each of the three deviates by some 0.3 %.
    EXPECT_NEAR(modelled_rest / rest, 1.0, 0.015);
    EXPECT_NEAR(modelled_with_last / with_last, 1.0, 0.015);
    EXPECT_NEAR(variances(d - 1, d - 1) / (fourth(d - 1, d - 1) - std::pow(second[d - 1], 2)), 1.0,
                0.015);
    // Control: in proportion to products, the rest would have less than two thirds of this.
    const double of_products = with_last * (1.0 - second[d - 1]) / second[d - 1];
    EXPECT_LT(of_products, 0.67 * rest);
}

TEST(DirectionMoments, ShapesWithoutSomeDirections) {
    VectorXd shape(3);
    shape << 0.0, 0.0, 1.0;
    EXPECT_LT(direction_variances(shape).norm(), 1e-6);
    shape << 0.0, 1e-12, 1.0;
    const MatrixXd variances = direction_variances(shape);
    EXPECT_TRUE(variances.allFinite());
    EXPECT_GE(variances.minCoeff(), 0.0);
}

}  // namespace
}  // namespace dpcov::detail
