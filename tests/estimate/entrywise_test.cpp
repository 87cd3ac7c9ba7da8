// Candidates entry by entry: their divergence, and what they are worth in the columns and out of
// them.
#include "estimate/entrywise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <variant>

#include "estimate/own_spectrum.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const Tuning tuning;

std::vector<Candidate> candidates_of(const MatrixXd& noisy, NoiseShape shape, double s) {
    return entrywise_candidates(noisy, NoiseSpectrum(shape, noisy.rows(), s), tuning);
}

TEST(Entrywise, DivergencesAreDerivatives) {
    std::mt19937_64 generator(11);
    for (const Index d : {1, 2, 7}) {
        const MatrixXd noisy = test::isotropic_noise(d, 1.0, generator);
        const double s = 0.3;
        const std::vector<Candidate> candidates = candidates_of(noisy, NoiseShape::gaussian, s);
        ASSERT_EQ(candidates.size(), 2U);
        for (std::size_t m = 0; m < candidates.size(); ++m) {
            const auto map = [&](const MatrixXd& at) {
                return test::matrix_of(candidates_of(at, NoiseShape::gaussian, s)[m]);
            };
            EXPECT_NEAR(candidates[m].divergence, test::divergence_by_differences(map, noisy, 1e-7),
                        1e-5);
            const MatrixXd matrix = test::matrix_of(candidates[m]);
            EXPECT_EQ(matrix, matrix.transpose());
        }
    }
}

TEST(Entrywise, MovesEntriesTowardZeroByTheThreshold) {
    MatrixXd noisy(3, 3);
    noisy << 5.0, -4.0, 1.0, -4.0, -2.0, 3.0, 1.0, 3.0, 0.5;
    const double s = std::sqrt(2.0);  // entries off the diagonal deviate by 1
    const double t = tuning.entry_threshold;
    MatrixXd expected(3, 3);
    expected << 5.0, -4.0 + t, 0.0, -4.0 + t, 0.0, 3.0 - t, 0.0, 3.0 - t, 0.5;
    const std::vector<Candidate> candidates = candidates_of(noisy, NoiseShape::gaussian, s);
    EXPECT_EQ(std::get<Diagonal>(candidates[0].value).values, (VectorXd{{5.0, 0.0, 0.5}}));
    EXPECT_TRUE(test::matrix_of(candidates[1]).isApprox(expected));
    EXPECT_EQ(candidates[1].divergence, 4.0);
}

// Stein's identity for the one needs independent normal entries; the other takes long.
TEST(Entrywise, OnlyTheDiagonalUnderWishartNoiseAndOfWideMatrices) {
    EXPECT_EQ(candidates_of(MatrixXd::Identity(5, 5), NoiseShape::wishart, 1.0).size(), 1U);
    EXPECT_EQ(candidates_of(MatrixXd::Identity(256, 256), NoiseShape::gaussian, 1.0).size(), 2U);
    EXPECT_EQ(candidates_of(MatrixXd::Identity(257, 257), NoiseShape::gaussian, 1.0).size(), 1U);
}

// Mean squared errors of estimates of `truth`, over what its noise has.
double error_over_noise(const MatrixXd& truth, NoiseShape shape, double s) {
    constexpr int rounds = 20;
    std::mt19937_64 generator(3);
    const NoiseSpectrum noise(shape, truth.rows(), s);
    double of_estimate = 0.0;
    double of_noise = 0.0;
    for (int round = 0; round < rounds; ++round) {
        const MatrixXd drawn = test::noise_of(shape, truth.rows(), s, generator);
        const auto estimate = own_spectrum_estimate(truth + drawn, noise, {}, {}, tuning);
        of_estimate += estimate ? (estimate->matrix - truth).squaredNorm() : truth.squaredNorm();
        of_noise += drawn.squaredNorm();
    }
    return of_estimate / of_noise;
}

// Columns that do not vary together: next to nothing is left to err in but the d entries of the
// diagonal, 2 / (d + 1) = .065 of the noise's squared norm; the bound is twice that. Control: the
// same eigenvalues in other axes, of which eigenvectors are not found in such noise, err more than
// twice as much. The ratios vary by 3 % over 20 rounds.
TEST(Entrywise, ColumnsThatDoNotVaryTogetherErrByTheDiagonal) {
    constexpr Index d = 30;
    const VectorXd levels = VectorXd::LinSpaced(d, 1.0, 20.0);
    std::mt19937_64 generator(4);
    const MatrixXd turned = test::with_spectrum(levels, generator);
    for (const NoiseShape shape : {NoiseShape::gaussian, NoiseShape::wishart}) {
        const double along = error_over_noise(levels.asDiagonal(), shape, 1.5);
        EXPECT_LT(along, 2.0 * 2.0 / (d + 1.0));
        EXPECT_GT(error_over_noise(turned, shape, 1.5), 2.0 * along);
    }
}

// Pairs of columns that vary together are seen under Gaussian noise. Control: under Wishart noise
// of the same size, without the candidate that keeps great entries, the error is greater.
TEST(Entrywise, PairsOfColumnsAreKept) {
    constexpr Index d = 30;
    MatrixXd truth = MatrixXd::Identity(d, d) * 10.0;
    for (Index i = 0; i + 1 < d; i += 2) {
        truth(i, i + 1) = truth(i + 1, i) = 8.0;
    }
    EXPECT_LT(1.2 * error_over_noise(truth, NoiseShape::gaussian, 1.5),
              error_over_noise(truth, NoiseShape::wishart, 1.5));
}

}  // namespace
}  // namespace dpcov::detail
