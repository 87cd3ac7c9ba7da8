// The candidates of the shared basis: their derivatives, and what they gain.
#include "estimate/shared_basis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "estimate/shared_basis_estimate.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd decaying(Index d) {
    VectorXd shape(d);
    for (Index i = 0; i < d; ++i) shape[i] = std::pow(0.5, static_cast<double>(d - 1 - i));
    return shape / shape.sum();
}

// Variances in proportion to the products of eigenvalues, those of Gaussian rows.
MatrixXd gaussian_sampling(const VectorXd& shape) {
    return shape * shape.transpose();
}

TEST(SharedBasis, DivergencesAreThoseOfTheMaps) {
    std::mt19937_64 generator(11);
    for (const Index d : {1, 2, 6}) {
        VectorXd prior = 3.0 * decaying(d);
        if (d > 2) prior[0] = -0.1;  // an estimate may have such; it counts as zero
        const MatrixXd noisy =
            MatrixXd(4.0 * decaying(d).asDiagonal()) + test::isotropic_noise(d, 0.3, generator);
        const std::vector<double> strengths = {0.0, 1.0, 50.0};
        const VectorXd positive = prior.cwiseMax(0.0);
        const MatrixXd sampling = gaussian_sampling(positive / positive.sum());
        const std::vector<Candidate> candidates =
            shared_basis_candidates(noisy, prior, sampling, strengths);
        ASSERT_EQ(candidates.size(), 8U);
        for (std::size_t m = 0; m < candidates.size(); ++m) {
            const double seen = test::divergence_by_differences(
                [&](const MatrixXd& y) {
                    return test::matrix_of(
                        shared_basis_candidates(y, prior, sampling, strengths)[m]);
                },
                noisy, 1e-6);
            EXPECT_NEAR(candidates[m].divergence, seen, 1e-6) << d << ' ' << m;
            const MatrixXd matrix = test::matrix_of(candidates[m]);
            EXPECT_EQ(matrix, matrix.transpose());
        }
        // Control: half a unit away is seen.
        EXPECT_GT(std::fabs(candidates[0].divergence + 0.5 - 1.0), 1e-6);
    }
}

// prior_share is exact for the multiple of the prior, on average over the 15 directions: moving the
// prior along itself changes nothing, moving it at right angles (to first order) moves the
// candidate by 2/3.
TEST(SharedBasis, FirstCandidateTakesItsShareOfThePrior) {
    std::mt19937_64 generator(12);
    const VectorXd prior = 3.0 * decaying(5);
    const MatrixXd noisy = MatrixXd(2.0 * decaying(5).asDiagonal());
    const MatrixXd sampling = gaussian_sampling(decaying(5));
    const Candidate first = shared_basis_candidates(noisy, prior, sampling, {})[0];
    EXPECT_NEAR(first.prior_share, 2.0 / 3.0 * 14.0 / 15.0, 1e-12);
    EXPECT_LT((test::matrix_of(first) - noisy).norm(), 1e-12);
    // A filter that lets everything through takes nothing of it.
    EXPECT_NEAR(shared_basis_candidates(noisy, prior, sampling, {1e12})[2].prior_share, 0.0, 1e-3);
}

// 200 rows of norm 1 in a stratum and 1000 in all: the ratios are the variances of its Gram over
// 1000, by s^2.
TEST(SharedBasis, SamplingRatiosAreThoseOfSampledRows) {
    std::mt19937_64 generator(13);
    std::normal_distribution<double> normal;
    constexpr Index d = 8;
    constexpr int rows = 200;       // in the stratum
    constexpr double all = 1000.0;  // in all strata
    constexpr int rounds = 400;
    const double s = 0.01;
    const VectorXd shape = decaying(d);
    MatrixXd mean = MatrixXd::Zero(d, d);
    std::vector<MatrixXd> grams;
    for (int round = 0; round < rounds; ++round) {
        MatrixXd gram = MatrixXd::Zero(d, d);
        for (int row = 0; row < rows; ++row) {
            VectorXd x = VectorXd::NullaryExpr(d, [&] { return normal(generator); });
            x = x.cwiseProduct(shape.cwiseSqrt()).eval();
            x /= x.norm();
            gram += x * x.transpose() / all;
        }
        mean += gram / rounds;
        grams.push_back(gram);
    }
    double squares = 0.0;
    for (const MatrixXd& gram : grams) squares += (gram - mean).squaredNorm() / rounds;
    // The prior of such rows is their own mean's spectrum.
    const VectorXd prior = mean.diagonal();
    const MatrixXd ratios = sampling_ratios(grams[0], prior, 1.0, all, s);
    const double modelled = 0.5 * s * s * (ratios.sum() + ratios.diagonal().sum());
    // 400 rounds: 4 %; the multiple of one Gram: 1 %.
    EXPECT_NEAR(modelled / squares, 1.0, 0.15);
    // Control: for half as long a radius it is a quarter.
    const MatrixXd shorter = sampling_ratios(grams[0], prior, 0.5, all, s);
    EXPECT_NEAR(shorter.sum() / ratios.sum(), 0.25, 1e-9);
}

// In the model that it is made for, the filter at its strength errs as expected, and less than at a
// tenth or ten times of it, the multiple alone, or the noisy matrix.
TEST(SharedBasis, FilterErrsAsItsModelExpects) {
    std::mt19937_64 generator(14);
    std::normal_distribution<double> normal;
    constexpr Index d = 30;
    constexpr double s = 1.0;
    constexpr double strength = 3000.0;
    constexpr int rounds = 60;
    const VectorXd shape = decaying(d);
    const MatrixXd ratios = strength * gaussian_sampling(shape);
    std::vector<double> errors(10, 0.0);
    double expected = 0.0;
    double noise = 0.0;
    for (int round = 0; round < rounds; ++round) {
        MatrixXd truth = MatrixXd(200.0 * shape.asDiagonal());
        const MatrixXd sampling = test::isotropic_noise(d, std::sqrt(strength) * s, generator);
        truth.array() += sampling.array() * (shape * shape.transpose()).array().sqrt();
        const MatrixXd noisy = truth + test::isotropic_noise(d, s, generator);
        const std::vector<Candidate> candidates =
            shared_basis_candidates(noisy, shape, ratios, {1.0, 0.03, 30.0});
        for (std::size_t m = 0; m < candidates.size(); ++m) {
            errors[m] += (test::matrix_of(candidates[m]) - truth).squaredNorm() / rounds;
        }
        noise += (noisy - truth).squaredNorm() / rounds;
        expected += shared_basis_risk(noisy, shape, s, ratios, 10, 0.25) / rounds;
    }
    const double best = errors[2];
    EXPECT_NEAR(expected / best, 1.0, 0.12);  // 60 rounds of some 40 degrees of freedom: 3 %
    EXPECT_GT(errors[0], 1.1 * best);
    EXPECT_GT(errors[4], 1.1 * best);
    EXPECT_GT(errors[6], 1.1 * best);
    EXPECT_GT(noise, 1.5 * best);
}

TEST(SharedBasis, IsNotTriedWhereThePriorsErrorOutweighsItsMultiple) {
    std::mt19937_64 generator(5);
    constexpr Index d = 20;
    const MatrixXd prior = test::with_spectrum(decaying(d), generator);
    const double s = 0.02;
    const NoisyStratum stratum{.matrix = prior + test::isotropic_noise(d, s, generator),
                               .noise_variance = s * s,
                               .radius = 1.0};
    const double worth = prior.squaredNorm() - 4.0 * s * s;  // the price: one degree, and three
    const auto estimate = [&](double common) {
        SquaredErrors error;
        error.common = common;
        return shared_basis_estimate(stratum, prior, 1e4, NoiseShape::gaussian, error, Tuning{});
    };
    EXPECT_TRUE(estimate(0.0));
    EXPECT_FALSE(estimate(1.5 * worth));
}

}  // namespace
}  // namespace dpcov::detail
