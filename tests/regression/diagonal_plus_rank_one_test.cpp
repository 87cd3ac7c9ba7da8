#include "regression/diagonal_plus_rank_one.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

namespace dpcov::detail {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// More or less than the diagonal along the direction, against the dense matrix.
TEST(DiagonalPlusRankOne, IsThatMatrix) {
    const VectorXd v = VectorXd::LinSpaced(7, 0.5, 3.0);
    const VectorXd g = VectorXd::LinSpaced(7, -1.0, 2.0).normalized();
    const VectorXd x = VectorXd::LinSpaced(7, 4.0, -3.0);
    for (const double k : {-0.4, 0.0, 5.0, 1e6}) {
        const DiagonalPlusRankOne covariance(v, g, k);
        const MatrixXd dense = MatrixXd(v.asDiagonal()) + k * g * g.transpose();
        EXPECT_LT((dense * covariance.solve(x).matrix() - x).norm(), 1e-8 * x.norm()) << k;
        EXPECT_NEAR(covariance.log_determinant(), std::log(dense.determinant()), 1e-9) << k;
    }
}

TEST(DiagonalPlusRankOne, WithoutADirectionIsDiagonal) {
    const VectorXd v = VectorXd::LinSpaced(3, 1.0, 4.0);
    const DiagonalPlusRankOne covariance(v, {}, 7.0);
    EXPECT_TRUE((covariance.solve(v) == 1.0).all());
    EXPECT_DOUBLE_EQ(covariance.log_determinant(), std::log(10.0));
}

}  // namespace
}  // namespace dpcov::detail
