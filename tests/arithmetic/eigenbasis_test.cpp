// Eigenvectors in single precision: near those in doubles, and what of them is exact all the same.
#include "arithmetic/eigenbasis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index columns = 150;

// Noise, and three directions far above it; so small that its squares are no floats.
MatrixXd noisy_low_rank() {
    std::mt19937_64 generator(71);
    std::normal_distribution<double> normal;
    const MatrixXd noise =
        MatrixXd::NullaryExpr(columns, columns, [&] { return normal(generator); });
    const MatrixXd few = MatrixXd::NullaryExpr(columns, 3, [&] { return normal(generator); });
    return 0x1p-100 * (noise + noise.transpose() + 4.0 * few * few.transpose());
}

// 16 sqrt(d) 2^-24 of the norm, as estimate/precision has it. The control: floats err by far more
// than doubles, which a comparison of doubles with themselves would not show.
void expect_near_as_floats(const MatrixXd& in_floats, const MatrixXd& in_doubles) {
    const double error = (in_floats - in_doubles).norm() / in_doubles.norm();
    EXPECT_LT(error, 16.0 * std::sqrt(1.0 * columns) * 0x1p-24);
    EXPECT_GT(error, 1e-9);
}

TEST(Eigenbasis, InSinglePrecisionIsNearThatInDoubles) {
    const MatrixXd matrix = noisy_low_rank();
    const Eigenbasis full(matrix, Precision::full);
    const Eigenbasis single(matrix, Precision::single);
    expect_near_as_floats(single.values(), full.values());
    // Functions of the matrix, which single eigenvectors are not: neighbours mix.
    const VectorXd upper = full.values().cwiseMax(0.0);
    expect_near_as_floats(single.assembled(single.values().cwiseMax(0.0)), full.assembled(upper));
    expect_near_as_floats(single.assembled(single.values()), matrix);
    expect_near_as_floats(single.turned_back(single.turned_into(matrix)), matrix);
    expect_near_as_floats(single.diagonal_along(matrix), full.values());
    expect_near_as_floats(single.turned_into(matrix), full.values().asDiagonal().toDenseMatrix());
}

TEST(Eigenbasis, GivesSymmetricMatricesInBothPrecisions) {
    const MatrixXd matrix = noisy_low_rank();
    for (const Precision precision : {Precision::full, Precision::single}) {
        const Eigenbasis basis(matrix, precision);
        for (const MatrixXd& result : {basis.assembled(basis.values()), basis.turned_into(matrix),
                                       basis.turned_back(matrix)}) {
            EXPECT_EQ(result, result.transpose());
        }
    }
}

TEST(Eigenbasis, InDoublesIsTheEigendecomposition) {
    const MatrixXd matrix = noisy_low_rank();
    const EigenDecomposition eigen = eigen_decomposition(matrix);
    const Eigenbasis basis(matrix, Precision::full);
    EXPECT_EQ(basis.values(), eigen.values);
    EXPECT_EQ(basis.assembled(eigen.values.cwiseMax(0.0)),
              assemble(eigen.vectors, eigen.values.cwiseMax(0.0)));
    EXPECT_EQ(Eigenbasis().diagonal_along(matrix).size(), 0);
}

VectorXd nine_greatest(const VectorXd& values) {
    VectorXd mapped = VectorXd::Zero(values.size());
    mapped.tail(9) = values.tail(9);
    return mapped;
}

// What is added up of floats' vectors is positive semidefinite, and its trace that of the mapped
// eigenvalues, within the rounding of doubles: d times 2^-53, sixteen times over.
TEST(WithEigenvalues, KeepsConeAndTraceInSinglePrecisionWhereFewAreKept) {
    const MatrixXd matrix = noisy_low_rank();
    const SpectralMap map = with_eigenvalues(matrix, nine_greatest, Precision::single);
    const double allowed = 16.0 * columns * 0x1p-53;
    const double trace = map.mapped.sum();
    EXPECT_EQ(map.matrix, map.matrix.transpose());
    EXPECT_NEAR(map.matrix.trace() / trace, 1.0, allowed);
    EXPECT_GT(eigenvalues(map.matrix).minCoeff(), -allowed * trace);
    expect_near_as_floats(map.matrix, with_eigenvalues(matrix, nine_greatest).matrix);
    // Control: the vectors as LAPACK's floats have them, added up, keep neither.
    const MatrixXd floats = Eigenbasis(matrix, Precision::single).assembled(map.mapped);
    EXPECT_GT(std::abs(floats.trace() / trace - 1.0), 100.0 * allowed);
    EXPECT_LT(eigenvalues(floats).minCoeff(), -10.0 * allowed * trace);
}

// Where few change, the others are those of the given doubles.
TEST(WithEigenvalues, ChangesFewInSinglePrecision) {
    const MatrixXd matrix = noisy_low_rank();
    const auto without = [](const VectorXd& values) -> VectorXd {
        return values - nine_greatest(values);
    };
    const SpectralMap map = with_eigenvalues(matrix, without, Precision::single);
    EXPECT_EQ(map.matrix, map.matrix.transpose());
    expect_near_as_floats(map.matrix, with_eigenvalues(matrix, without).matrix);
    const MatrixXd moved = map.matrix - matrix;
    EXPECT_NEAR(eigenvalues(moved).head(9).sum(), moved.trace(), 1e-12 * moved.norm());
}

}  // namespace
}  // namespace dpcov::detail
