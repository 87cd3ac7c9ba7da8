// Positive definite or not, beside eigenvalues.
#include "arithmetic/cholesky.hpp"

#include <gtest/gtest.h>

#include <random>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd symmetric_noise(Index d) {
    std::mt19937_64 generator(static_cast<std::uint64_t>(d));
    std::normal_distribution<double> normal;
    const MatrixXd noise = MatrixXd::NullaryExpr(d, d, [&] { return normal(generator); });
    return noise + noise.transpose();
}

// The least eigenvalue is where the answer changes, in matrices of one block and of several.
TEST(Cholesky, ChangesItsAnswerAtTheLeastEigenvalue) {
    for (const Index d : {1, 2, 7, 65, 300}) {
        const MatrixXd matrix = symmetric_noise(d);
        const double least = eigenvalues(matrix).minCoeff();
        const double little = 1e-10 * matrix.norm();
        EXPECT_TRUE(has_cholesky_factor(matrix, -least + little)) << d;
        EXPECT_FALSE(has_cholesky_factor(matrix, -least - little)) << d;
    }
}

TEST(Cholesky, ReadsTheLowerTriangle) {
    MatrixXd matrix = MatrixXd::Identity(3, 3);
    matrix(0, 2) = 9.0;
    EXPECT_TRUE(has_cholesky_factor(matrix, 0.0));
    matrix(2, 0) = 9.0;
    EXPECT_FALSE(has_cholesky_factor(matrix, 0.0));
}

TEST(Cholesky, OfZerosThereIsNoneWithoutAShift) {
    EXPECT_FALSE(has_cholesky_factor(MatrixXd::Zero(4, 4), 0.0));
    EXPECT_TRUE(has_cholesky_factor(MatrixXd::Zero(4, 4), 1e-300));
}

}  // namespace
}  // namespace dpcov::detail
