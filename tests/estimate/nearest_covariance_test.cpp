// A matrix that can be a second moment: by a shift where that is enough, else by eigenvalues.
#include "estimate/nearest_covariance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/precision.hpp"
#include "estimate/simplex.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index wide = 160;
constexpr double error = 0.01;

// Of trace `trace`; `negative` of its eigenvalues are -depth.
MatrixXd matrix_of(Index d, double trace, Index negative, double depth) {
    VectorXd values = VectorXd::LinSpaced(d, 1.0, 9.0);
    values *= trace / values.sum();
    values.head(negative).setConstant(-depth);
    std::mt19937_64 generator(3);
    const MatrixXd matrix = test::with_spectrum(values, generator);
    return 0.5 * (matrix + matrix.transpose());
}

MatrixXd projected(const MatrixXd& matrix) {
    return with_eigenvalues(
               matrix,
               [](const VectorXd& values) { return project_onto_simplex(values, 1.0).values; })
        .matrix;
}

// What the header promises of every matrix.
void expect_nearest(const MatrixXd& matrix) {
    const MatrixXd result = nearest_covariance(matrix, error);
    const double rounding = 16.0 * static_cast<double>(matrix.rows()) * 0x1p-53;
    EXPECT_EQ(result, result.transpose());
    EXPECT_GT(eigenvalues(result).minCoeff(), -rounding);
    EXPECT_LT(result.trace(), 1.0 + rounding);
    EXPECT_LT((result - matrix).norm(),
              (projected(matrix) - matrix).norm() + 1e-3 * error + rounding);
}

TEST(NearestCovariance, LeavesWhatIsOneAlready) {
    const MatrixXd matrix = matrix_of(wide, 0.5, 0, 0.0);
    ASSERT_EQ(enough_precision(matrix, error), Precision::single);
    EXPECT_EQ(nearest_covariance(matrix, error), matrix);
    EXPECT_EQ(nearest_covariance(MatrixXd::Zero(wide, wide), error), MatrixXd::Zero(wide, wide));
}

// By half of what is negligible: each eigenvalue moves alike, so that none changes its place.
TEST(NearestCovariance, ShiftsWhatIsAllButOne) {
    const double shift = 1e-3 * error / std::sqrt(static_cast<double>(wide));
    const MatrixXd matrix = matrix_of(wide, 0.5, 9, 0.5 * shift);
    const MatrixXd moved = nearest_covariance(matrix, error) - matrix;
    EXPECT_LT((moved - shift * MatrixXd::Identity(wide, wide)).norm(), 1e-12);
    expect_nearest(matrix);
}

// Control: twice as deep, and the shift is not enough.
TEST(NearestCovariance, ProjectsWhereAShiftIsNotEnough) {
    const double shift = 1e-3 * error / std::sqrt(static_cast<double>(wide));
    const MatrixXd matrix = matrix_of(wide, 0.5, 9, 2.0 * shift);
    const MatrixXd moved = nearest_covariance(matrix, error) - matrix;
    const VectorXd by = eigenvalues(moved);
    EXPECT_GT(by.tail(9).minCoeff(), 1.9 * shift);
    EXPECT_LT(by.head(wide - 9).maxCoeff(), 1.1 * shift);
    expect_nearest(matrix);
}

TEST(NearestCovariance, KeepsItsPromiseOfEveryMatrix) {
    for (const Index d : {Index{1}, Index{20}, wide}) {
        for (const double trace : {0.0, 0.5, 0.9999999, 1.0, 3.0}) {
            for (const Index negative : {Index{0}, d / 3}) {
                SCOPED_TRACE(testing::Message() << d << ", " << trace << ", " << negative);
                expect_nearest(matrix_of(d, trace, negative, 1e-3));
                expect_nearest(matrix_of(d, trace, negative, 1e-9));
            }
        }
    }
}

// What the header promises of every matrix, wide or narrow, within the bounds or beyond them.
TEST(ClampedSpectrum, IsTheNearestWithinTheBounds) {
    for (const Index d : {Index{1}, Index{20}, wide}) {
        for (const double trace : {0.5, 40.0}) {  // 40: the greatest eigenvalues are cut
            for (const double depth : {1e-3, 1e-9}) {
                SCOPED_TRACE(testing::Message() << d << ", " << trace << ", " << depth);
                const MatrixXd matrix = matrix_of(d, trace, d / 3, depth);
                const SpectralMap full = with_clamped_spectrum(matrix, 1.0, 0.0);
                const VectorXd expected = eigenvalues(matrix).cwiseMax(0.0).cwiseMin(1.0);
                const double rounding = 64.0 * static_cast<double>(d) * 0x1p-53 * trace;
                EXPECT_LT((eigenvalues(full.matrix) - expected).cwiseAbs().maxCoeff(), rounding);

                const SpectralMap some = with_clamped_spectrum(matrix, 1.0, error);
                EXPECT_EQ(some.matrix, some.matrix.transpose());
                EXPECT_LT((some.matrix - full.matrix).norm(), 2e-3 * error + rounding);
                const VectorXd values = eigenvalues(some.matrix);
                EXPECT_GT(values.minCoeff(), -rounding);
                EXPECT_LT(values.maxCoeff(), 1.0 + rounding);
            }
        }
    }
}

// In floats, or the test above says nothing of them; and not where that would be seen.
TEST(ClampedSpectrum, IsOfFloatsWhereNoiseIsGreat) {
    const MatrixXd matrix = matrix_of(wide, 0.5, wide / 3, 1e-3);
    const MatrixXd full = with_clamped_spectrum(matrix, 1.0, 0.0).matrix;
    EXPECT_GT((with_clamped_spectrum(matrix, 1.0, error).matrix - full).norm(), 1e-9);
    EXPECT_EQ(with_clamped_spectrum(matrix, 1.0, 1e-6).matrix, full);
}

TEST(ClampedSpectrum, IsSeenToBeWithinBoundsWithoutEigenvalues) {
    EXPECT_TRUE(has_spectrum_within(matrix_of(wide, 0.5, 0, 0.0), 0.5001));
    EXPECT_TRUE(has_spectrum_within(MatrixXd::Zero(3, 3), 0.0));
    EXPECT_FALSE(has_spectrum_within(matrix_of(wide, 0.5, 0, 0.0), 0.4));
    EXPECT_FALSE(has_spectrum_within(matrix_of(wide, 0.5, 1, 1e-9), 1.0));
    EXPECT_FALSE(has_spectrum_within(-MatrixXd::Identity(2, 2), 1.0));
    EXPECT_FALSE(has_spectrum_within(MatrixXd::Constant(1, 1, NAN), 1.0));
}

}  // namespace
}  // namespace dpcov::detail
