#include "arithmetic/leading_directions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <random>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Two eigenvalues that stand apart, behind a rotation.
TEST(LeadingDirections, AreOrthonormalAndNearEigenvectorsThatStandApart) {
    std::mt19937_64 generator(9);
    std::normal_distribution<double> normal;
    for (const Index d : {1, 2, 3, 7, 8, 9, 150}) {
        const MatrixXd axes = Eigen::HouseholderQR<MatrixXd>(MatrixXd::NullaryExpr(d, d, [&] {
                                  return normal(generator);
                              })).householderQ();
        VectorXd values = VectorXd::NullaryExpr(d, [&] { return std::abs(normal(generator)); });
        values[0] = 40.0;
        if (d > 1) {
            values[1] = 20.0;
        }
        const MatrixXd matrix = axes * values.asDiagonal() * axes.transpose();
        const MatrixXd found = rough_leading_directions(matrix, 4);
        const Index count = std::min(d, Index{4});
        ASSERT_EQ(found.cols(), count);
        EXPECT_LT((found.transpose() * found - MatrixXd::Identity(count, count)).norm(), 1e-12);
        for (Index k = 0; k < std::min(d, Index{2}); ++k) {
            EXPECT_GT(std::abs(found.col(k).dot(axes.col(k))), 1.0 - 1e-9) << d << ' ' << k;
        }
    }
    EXPECT_EQ(rough_leading_directions(MatrixXd::Zero(30, 30), 4).cols(), 0);
    EXPECT_EQ(rough_leading_directions(MatrixXd::Zero(30, 30), 4).rows(), 30);
}

// Exactly where a matrix has fewer directions than are iterated, and roughly in a crowd of 20.
TEST(LeadingDirections, OfFewDirectionsAreThese) {
    std::mt19937_64 generator(10);
    std::normal_distribution<double> normal;
    for (const Index d : {40, 150}) {
        for (const Index rank : {1, 2, 3, 4, 7, 20}) {
            const double missing = rank <= 8 ? 1e-9 : 1e-3;
            const MatrixXd axes = MatrixXd::NullaryExpr(d, rank, [&] { return normal(generator); });
            const MatrixXd matrix = axes * axes.transpose();
            const MatrixXd found = rough_leading_directions(matrix, 4);
            const Index count = std::min(rank, Index{4});  // no direction that rounding made
            ASSERT_EQ(found.cols(), count);
            EXPECT_LT((found.transpose() * found - MatrixXd::Identity(count, count)).norm(), 1e-12);
            const MatrixXd exact = eigen_decomposition(matrix).vectors;
            for (Index k = 0; k < count; ++k) {
                EXPECT_GT(std::abs(found.col(k).dot(exact.col(d - 1 - k))), 1.0 - missing)
                    << d << ' ' << rank << ' ' << k;
            }
        }
    }
}

// Which vectors are those of equal eigenvalues, rounding decides.
TEST(LeadingDirections, StopBeforeEqualEigenvalues) {
    std::mt19937_64 generator(11);
    std::normal_distribution<double> normal;
    const auto directions_of = [&](const VectorXd& values) {
        const Index d = values.size();
        const MatrixXd axes = Eigen::HouseholderQR<MatrixXd>(MatrixXd::NullaryExpr(d, d, [&] {
                                  return normal(generator);
                              })).householderQ();
        return rough_leading_directions(axes * values.asDiagonal() * axes.transpose(), 4).cols();
    };
    VectorXd values = VectorXd::Ones(12);
    EXPECT_EQ(directions_of(values), 0);
    values[0] = 9.0;
    EXPECT_EQ(directions_of(values), 1);
    values[1] = 5.0;
    values[2] = 5.0;  // with a gap behind them
    EXPECT_EQ(directions_of(values), 3);
    values[3] = 1.001;
    EXPECT_EQ(directions_of(values), 4);
    values[1] = 9.0;  // as the first
    EXPECT_EQ(directions_of(values), 0);
    EXPECT_EQ(directions_of(VectorXd{{3.0, 2.0, 2.0}}), 3);
    EXPECT_EQ(directions_of(VectorXd{{3.0, 0.0, 0.0}}), 1);
    EXPECT_EQ(directions_of(VectorXd{{3.0, 3.0, 1.0}}), 0);
}

}  // namespace
}  // namespace dpcov::detail
