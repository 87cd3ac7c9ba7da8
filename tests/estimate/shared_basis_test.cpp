// The candidates of the shared basis: their derivatives, and what they gain.
#include "estimate/shared_basis.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "estimate/direction_moments.hpp"
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

// Three directions of one eigenvalue below, two above, and one between.
VectorXd with_equal_ones() {
    return VectorXd{{0.05, 0.05, 0.05, 0.15, 0.35, 0.35}};
}

// An orthogonal matrix that turns each of these spaces in itself.
MatrixXd turn_inside(std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    MatrixXd turn = MatrixXd::Identity(6, 6);
    for (const auto& [first, size] : {std::pair<Index, Index>{0, 3}, {4, 2}}) {
        const MatrixXd gaussian =
            MatrixXd::NullaryExpr(size, size, [&] { return normal(generator); });
        turn.block(first, first, size, size) =
            Eigen::HouseholderQR<MatrixXd>(gaussian).householderQ();
    }
    return turn;
}

TEST(SharedBasis, DivergencesAreThoseOfTheMaps) {
    std::mt19937_64 generator(11);
    for (const auto& [d, equal] :
         {std::pair<Index, bool>{1, false}, {2, false}, {6, false}, {6, true}}) {
        VectorXd prior = 3.0 * (equal ? with_equal_ones() : decaying(d));
        if (d > 2 && !equal) prior[0] = -0.1;  // an estimate may have such; it counts as zero
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

// Which basis of a space of one eigenvalue is found hangs on rounding: nothing else may.
TEST(SharedBasis, DoesNotDependOnTheBasisOfASpaceOfOneEigenvalue) {
    std::mt19937_64 generator(15);
    const VectorXd equal = with_equal_ones();
    const VectorXd near = equal + VectorXd::LinSpaced(6, 0.0, 1e-6);
    const MatrixXd noisy =
        MatrixXd(2.0 * equal.asDiagonal()) + test::isotropic_noise(6, 0.2, generator);
    const MatrixXd turn = turn_inside(generator);
    const MatrixXd turned = turn.transpose() * noisy * turn;
    // How far the candidates, their divergences and the model's risk are from turning with Y.
    const auto moved = [&](const VectorXd& prior) {
        const MatrixXd sampling = sampling_ratios(noisy, prior, 1.0, 100.0, 0.05);
        const auto before = shared_basis_candidates(noisy, prior, sampling, {1.0, 20.0});
        const auto after = shared_basis_candidates(turned, prior, sampling, {1.0, 20.0});
        double most = std::fabs(shared_basis_risk(noisy, prior, 0.05, sampling, 4, 0.25) -
                                shared_basis_risk(turned, prior, 0.05, sampling, 4, 0.25));
        for (std::size_t m = 0; m < before.size(); ++m) {
            const MatrixXd back = turn * test::matrix_of(after[m]) * turn.transpose();
            most = std::max(most, (back - test::matrix_of(before[m])).norm());
            most = std::max(most, std::fabs(before[m].divergence - after[m].divergence));
        }
        return most;
    };
    const MatrixXd sampling = sampling_ratios(noisy, equal, 1.0, 100.0, 0.05);
    EXPECT_LT((sampling_ratios(turned, equal, 1.0, 100.0, 0.05) - sampling).norm(),
              1e-12 * sampling.norm());
    EXPECT_LT(moved(equal), 1e-12);
    EXPECT_LT(moved(with_near_ones_equal(near, 1e-5)), 1e-12);
    // Control: eigenvalues that differ fix the basis.
    EXPECT_GT(moved(near), 0.01);
}

TEST(SharedBasis, NearEigenvaluesAreReplacedByTheirMean) {
    const VectorXd values{{-1.0, 0.0, 1.0, 2.5, 5.0}};
    EXPECT_EQ(with_near_ones_equal(values, 2.0), (VectorXd{{0.0, 0.0, 0.0, 2.5, 5.0}}));
    EXPECT_EQ(with_near_ones_equal(values, 0.9), values);
    EXPECT_EQ(with_near_ones_equal(VectorXd(), 1.0).size(), 0);
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

// Of rows of one length in a space where all directions are alike: the sum of the diagonal does not
// vary, the differences inside it as the entries beside it.
TEST(SharedBasis, SamplingRatiosOfEqualEigenvaluesAreOfTheirMean) {
    std::mt19937_64 generator(16);
    std::normal_distribution<double> normal;
    constexpr int rounds = 20000;
    const VectorXd shape = with_equal_ones();
    const MatrixXd ratios = sampling_ratios(MatrixXd(shape.asDiagonal()), shape, 1.0, 1.0, 1.0);
    // Variances of z that give u these second moments, near enough for what is looked at.
    VectorXd lambda = shape;
    const auto direction = [&] {
        VectorXd z = VectorXd::NullaryExpr(6, [&] { return normal(generator); });
        z = z.cwiseProduct(lambda.cwiseSqrt()).eval();
        return VectorXd(z / z.norm());
    };
    for (int step = 0; step < 3; ++step) {
        VectorXd second = VectorXd::Zero(6);
        for (int round = 0; round < rounds; ++round) {
            second += direction().cwiseAbs2() / rounds;
        }
        lambda = lambda.cwiseProduct(shape).cwiseQuotient(second);
    }
    double low = 0.0;   // the three equal ones below
    double high = 0.0;  // the two above
    double across = 0.0;
    for (int round = 0; round < rounds; ++round) {
        const VectorXd squares = direction().cwiseAbs2();
        low += std::pow(squares.head(3).sum() - shape.head(3).sum(), 2) / 3.0 / rounds;
        high += std::pow(squares.tail(2).sum() - shape.tail(2).sum(), 2) / 2.0 / rounds;
        across += std::pow(squares[4] - squares[5], 2) / 2.0 / rounds;
    }
    // Fourth moments of 20,000 rows: 2 % each.
    EXPECT_NEAR(ratios(0, 0) / low, 1.0, 0.1);
    EXPECT_NEAR(ratios(4, 4) / high, 1.0, 0.1);
    EXPECT_NEAR(ratios(5, 4) / across, 1.0, 0.1);
    EXPECT_EQ(ratios(0, 0), ratios(2, 2));
    // Control: they are not the variance of one entry.
    EXPECT_GT(std::fabs(direction_variances(shape)(4, 4) / high - 1.0), 0.2);
    const VectorXd all = VectorXd::Constant(6, 1.0 / 6.0);
    EXPECT_LT(sampling_ratios(MatrixXd(all.asDiagonal()), all, 1.0, 1.0, 1.0)(3, 3), 1e-9);
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

// A prior that differs by rounding alone, as from another processor, gives the same estimate.
TEST(SharedBasis, EstimateIsThatOfAPriorWithEqualEigenvaluesRoundedElsewhere) {
    std::mt19937_64 generator(17);
    const double s = 0.01;
    VectorXd spectrum = VectorXd::Constant(12, 0.1);
    spectrum.tail(3).setConstant(0.4);
    const MatrixXd prior = test::with_spectrum(spectrum, generator);
    // No multiple of it: the isotonic fit has weight.
    const MatrixXd other_levels = 0.7 * prior * prior + 0.19 * prior;
    const NoisyStratum stratum{.matrix = other_levels + test::isotropic_noise(12, s, generator),
                               .noise_variance = s * s,
                               .radius = 1.0};
    const auto estimate = [&](double rounding) {
        const MatrixXd rounded = prior + test::isotropic_noise(12, rounding, generator);
        return shared_basis_estimate(stratum, rounded, 300.0, NoiseShape::gaussian, {}, Tuning{});
    };
    const auto exact = estimate(0.0);
    const auto elsewhere = estimate(1e-13);
    const auto other = estimate(0.01);
    ASSERT_TRUE(exact && elsewhere && other);
    EXPECT_LT((elsewhere->matrix - exact->matrix).norm(), 1e-9 * exact->matrix.norm());
    // Control: another prior gives another.
    EXPECT_GT((other->matrix - exact->matrix).norm(), 1e-4 * exact->matrix.norm());
}

// Negative eigenvalues count as zeros, and so are of the set of those that rounding has left above.
TEST(SharedBasis, EstimateDoesNotDependOnTheSignOfZeros) {
    double most = 0.0;
    double control = 0.0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        std::mt19937_64 generator(seed);
        constexpr Index d = 60;
        const double s = 0.02;
        VectorXd spectrum = VectorXd::Zero(d);
        for (Index i = 0; i < d / 3; ++i) {
            spectrum[d - 1 - i] = std::pow(0.7, static_cast<double>(i));
        }
        spectrum[0] = -0.05;
        const MatrixXd prior = test::with_spectrum(spectrum, generator);
        const NoisyStratum stratum{.matrix = 0.9 * prior + test::isotropic_noise(d, s, generator),
                                   .noise_variance = s * s,
                                   .radius = 1.0};
        const auto estimate = [&](double moved) {
            const MatrixXd shifted = prior + moved * MatrixXd::Identity(d, d);
            return shared_basis_estimate(stratum, shifted, 1e4, NoiseShape::gaussian, {}, Tuning{})
                .value()
                .matrix;
        };
        const MatrixXd exact = estimate(0.0);
        for (const double moved : {-1e-15, 1e-15}) {
            most = std::max(most, (estimate(moved) - exact).norm() / exact.norm());
        }
        control = std::max(control, (estimate(1e-3) - exact).norm() / exact.norm());
    }
    EXPECT_LT(most, 1e-9);
    EXPECT_GT(control, 1e-6);
}

}  // namespace
}  // namespace dpcov::detail
