#include "estimate/clamp.hpp"

#include <gtest/gtest.h>

#include <random>

#include "arithmetic/eigen_decomposition.hpp"
#include "support/decompositions.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd gaussian_matrix(std::mt19937_64& generator, Index rows, Index columns) {
    std::normal_distribution<double> normal;
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(generator); });
}

TEST(ClampEigenvalues, KeepsToZeroAndTheBound) {
    const VectorXd values = (VectorXd(6) << -2.0, -0.0, 0.0, 0.5, 1.0, 7.0).finished();
    const VectorXd expected = (VectorXd(6) << 0.0, 0.0, 0.0, 0.5, 1.0, 1.0).finished();
    EXPECT_EQ(clamp_eigenvalues(values, 1.0), expected);
}

TEST(Assemble, EqualsTheDenseProduct) {
    std::mt19937_64 generator(11);
    for (const Index d : {1, 2, 5, 33, 120}) {
        const MatrixXd q = test::orthogonal_factor(gaussian_matrix(generator, d, d));
        VectorXd values = gaussian_matrix(generator, d, 1);
        for (const bool zeros : {false, true}) {
            if (zeros) {
                values = values.cwiseMax(0.0);  // drops about half, not in one run
            }
            const MatrixXd assembled = assemble(q, values);
            const MatrixXd dense = q * values.asDiagonal() * q.transpose();
            EXPECT_LE((assembled - dense).cwiseAbs().maxCoeff(), 1e-14 * values.norm());
            EXPECT_EQ(assembled, assembled.transpose()) << "to the last bit";
        }
    }
}

TEST(Assemble, OfNothingButZerosIsZero) {
    const MatrixXd q = MatrixXd::Identity(4, 4);
    EXPECT_EQ(assemble(q, VectorXd::Zero(4)), MatrixXd::Zero(4, 4));
}

TEST(Assemble, TakesEachValueWithItsOwnVector) {
    // On the identity basis nothing rounds.
    const VectorXd values = (VectorXd(4) << 0.0, 3.0, 0.0, 5.0).finished();
    EXPECT_EQ(assemble(MatrixXd::Identity(4, 4), values), MatrixXd(values.asDiagonal()));
}

// Projection onto a convex set never takes a matrix further from a member of it.
TEST(ClampEigenvalues, NeverAddsError) {
    std::mt19937_64 generator(13);
    for (int trial = 0; trial < 200; ++trial) {
        const MatrixXd rows = gaussian_matrix(generator, 3, 6);
        const MatrixXd truth = rows.transpose() * rows;  // rank 3 of 6
        const double upper = truth.trace();
        const MatrixXd noise = gaussian_matrix(generator, 6, 6);
        const MatrixXd noisy = truth + 5 * (noise + noise.transpose());
        const EigenDecomposition found = eigen_decomposition(noisy);
        const MatrixXd clamped = assemble(found.vectors, clamp_eigenvalues(found.values, upper));
        EXPECT_LT((clamped - truth).norm(), (noisy - truth).norm());
    }
}

}  // namespace
}  // namespace dpcov::detail
