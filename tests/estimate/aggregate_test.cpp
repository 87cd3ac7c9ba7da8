// The mixture against the conditions of its optimum and against a search, and Stein's estimate of
// it.
#include "estimate/aggregate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <variant>

#include "arithmetic/eigen_decomposition.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<Candidate> random_candidates(int count, Index d, std::mt19937_64& generator) {
    std::vector<Candidate> candidates;
    for (int m = 0; m < count; ++m) {
        candidates.push_back({test::isotropic_noise(d, 1.0, generator), 1.0 + m, 0.1 * m});
    }
    return candidates;
}

Mixture mixture_of(const std::vector<Candidate>& candidates, const MatrixXd& target,
                   const VectorXd& penalties) {
    return best_mixture(candidates, target, Eigenbasis(target, Precision::full), penalties);
}

double objective(const std::vector<Candidate>& candidates, const MatrixXd& target,
                 const VectorXd& penalties, const VectorXd& weights) {
    MatrixXd rest = -target;
    for (std::size_t m = 0; m < candidates.size(); ++m) {
        rest += weights[static_cast<Index>(m)] * test::matrix_of(candidates[m]);
    }
    return rest.squaredNorm() + 2.0 * weights.dot(penalties);
}

TEST(Mixture, MeetsTheConditionsOfTheOptimum) {
    std::mt19937_64 generator(21);
    for (const Index d : {1, 3, 8}) {
        for (int round = 0; round < 20; ++round) {
            std::vector<Candidate> candidates = random_candidates(6, d, generator);
            candidates.push_back(candidates[0]);                               // the same twice
            candidates.push_back({MatrixXd(MatrixXd::Zero(d, d)), 1.0, 0.0});  // and nothing
            const MatrixXd target = 2.0 * test::matrix_of(candidates[0]) +
                                    test::matrix_of(candidates[3]) +
                                    test::isotropic_noise(d, 0.5, generator);
            const VectorXd penalties = VectorXd::Constant(8, 0.3);
            const Mixture mixture = mixture_of(candidates, target, penalties);
            MatrixXd rebuilt = MatrixXd::Zero(d, d);
            double divergence = 0.0;
            const double size = 1.0 + target.norm();
            for (Index m = 0; m < 8; ++m) {
                const Candidate& candidate = candidates[static_cast<std::size_t>(m)];
                ASSERT_GE(mixture.weights[m], 0.0);
                const MatrixXd matrix = test::matrix_of(candidate);
                rebuilt += mixture.weights[m] * matrix;
                divergence += mixture.weights[m] * candidate.divergence;
                // Half the gradient: zero where the weight is positive, else not negative.
                const double slope =
                    (mixture.matrix - target).cwiseProduct(matrix).sum() + penalties[m];
                EXPECT_GT(slope, -1e-9 * size * size);
                if (mixture.weights[m] > 0.0) {
                    EXPECT_LT(slope, 1e-9 * size * size);
                }
            }
            EXPECT_LT((rebuilt - mixture.matrix).norm(), 1e-12 * size);
            EXPECT_NEAR(divergence, mixture.divergence, 1e-12 * (1.0 + divergence));
            // No nearby weights do better, and some do worse (control).
            const double least = objective(candidates, target, penalties, mixture.weights);
            std::uniform_real_distribution<double> uniform(-0.1, 0.1);
            for (int trial = 0; trial < 50; ++trial) {
                const VectorXd other = (mixture.weights + VectorXd::NullaryExpr(8, [&] {
                                            return uniform(generator);
                                        })).cwiseMax(0.0);
                EXPECT_GE(objective(candidates, target, penalties, other), least - 1e-9 * size);
            }
            EXPECT_GT(objective(candidates, target, penalties, VectorXd::Constant(8, 3.0)), least);
        }
    }
}

TEST(Mixture, IsZeroWhereThePenaltyIsMoreThanTheGain) {
    const MatrixXd one = MatrixXd::Identity(2, 2);
    const std::vector<Candidate> candidates = {{one, 1.0, 0.0}};
    // Gain <g, Y> = 2.
    EXPECT_TRUE(mixture_of(candidates, one, VectorXd::Constant(1, 2.1)).weights.isZero(0.0));
    EXPECT_TRUE(mixture_of(candidates, -one, VectorXd::Zero(1)).matrix.isZero(0.0));
    EXPECT_NEAR(mixture_of(candidates, one, VectorXd::Constant(1, 1.0)).weights[0], 0.5, 1e-9);
}

// A candidate given by its eigenvalues along the target's eigenvectors, or by its diagonal, counts
// as the matrix that it stands for.
TEST(Mixture, TakesCandidatesByTheirSpectrumAndByTheirDiagonal) {
    std::mt19937_64 generator(22);
    constexpr Index d = 7;
    const MatrixXd target = test::isotropic_noise(d, 1.0, generator) + MatrixXd::Identity(d, d);
    const EigenDecomposition eigen = eigen_decomposition(target);
    std::vector<Candidate> candidates = random_candidates(2, d, generator);
    candidates.push_back({Diagonal{target.diagonal().cwiseMax(0.0)}, 3.0, 0.0});
    candidates.push_back({Diagonal{VectorXd::Ones(d)}, 1.0, 0.0});
    candidates.push_back({Spectrum{eigen.values.cwiseMax(0.0)}, 3.0, 0.0});
    candidates.push_back({Spectrum{VectorXd::LinSpaced(d, 0.0, 1.0)}, 2.0, 0.0});
    std::vector<Candidate> assembled = candidates;
    for (Candidate& candidate : assembled) {
        const auto* spectrum = std::get_if<Spectrum>(&candidate.value);
        candidate.value = spectrum != nullptr ? assemble(eigen.vectors, spectrum->values)
                                              : test::matrix_of(candidate);
    }
    const VectorXd penalties = VectorXd::Constant(6, 0.1);
    const Mixture by_form = mixture_of(candidates, target, penalties);
    const Mixture by_matrix = mixture_of(assembled, target, penalties);
    EXPECT_LT((by_form.weights - by_matrix.weights).norm(), 1e-9);
    EXPECT_LT((by_form.matrix - by_matrix.matrix).norm(), 1e-9);
    EXPECT_NEAR(by_form.divergence, by_matrix.divergence, 1e-9);
    EXPECT_GT(by_form.weights.tail(2).sum(), 0.1);  // they matter
    // Without a spectrum no eigendecomposition is needed.
    const Mixture without = best_mixture(assembled, target, {}, penalties);
    EXPECT_EQ(without.weights, by_matrix.weights);
    EXPECT_LT((without.matrix - by_matrix.matrix).norm(), 1e-12);
    const std::span<const Candidate> without_spectra(candidates.data(), 4);
    const std::span<const Candidate> dense(assembled.data(), 4);
    const auto of = [&](std::span<const Candidate> some) {
        return best_mixture({some.begin(), some.end()}, target, {}, penalties.head(4));
    };
    EXPECT_LT((of(without_spectra).matrix - of(dense).matrix).norm(), 1e-12);
    EXPECT_GT(of(dense).weights.tail(2).sum(), 0.1);
}

// Candidates that refer to matrices, in any order, with one another and with all other forms, count
// as the matrices that they stand for, to the last bit.
TEST(Mixture, TakesCandidatesThatAreWrittenDownWhereTheyAreLookedAt) {
    std::mt19937_64 generator(24);
    constexpr Index d = 9;
    const MatrixXd noisy = test::isotropic_noise(d, 1.0, generator) + MatrixXd::Identity(d, d);
    const MatrixXd prior = test::isotropic_noise(d, 1.0, generator) + MatrixXd::Identity(d, d);
    const MatrixXd sampling = test::isotropic_noise(d, 1.0, generator).cwiseAbs();
    const VectorXd one = noisy.diagonal().cwiseMax(0.5);
    const VectorXd other = VectorXd::LinSpaced(d, 0.0, 1.0);
    std::vector<Candidate> candidates = {{Diagonal{other}, 1.0, 0.0},
                                         {Multiple{&prior, 0.7}, 1.0, 1.0},
                                         {Filtered{&sampling, &noisy, 1.0, one}, 5.0, 0.2},
                                         {Filtered{&sampling, &noisy, 1.0, other}, 4.0, 0.1},
                                         {Diagonal{one}, 2.0, 0.0},
                                         {Filtered{&sampling, &noisy, 20.0, one}, 9.0, 0.2},
                                         {prior, 3.0, 0.0},
                                         {Filtered{&sampling, &noisy, 20.0, other}, 8.0, 0.1}};
    const MatrixXd target = test::matrix_of(candidates[1]) + test::matrix_of(candidates[2]) +
                            test::matrix_of(candidates[7]) +
                            test::isotropic_noise(d, 0.1, generator);
    std::vector<Candidate> written = candidates;
    for (Candidate& candidate : written) {
        if (!std::holds_alternative<Diagonal>(candidate.value)) {
            candidate.value = test::matrix_of(candidate);
        }
    }
    for (std::size_t round = 0; round < candidates.size(); ++round) {
        const VectorXd penalties = VectorXd::Constant(8, 0.01);
        const Mixture mixture = mixture_of(candidates, target, penalties);
        const Mixture expected = mixture_of(written, target, penalties);
        EXPECT_EQ(mixture.weights, expected.weights);
        EXPECT_EQ(mixture.matrix, expected.matrix);
        EXPECT_GT((mixture.weights.array() > 0.0).count(), 2);
        std::rotate(candidates.begin(), candidates.begin() + 1, candidates.end());
        std::rotate(written.begin(), written.begin() + 1, written.end());
    }
}

// The mixture's optimum where candidates are alike to 10^-4, as they are where the signal is far
// above the noise: half of one and half of the other, which no descent along coordinates reaches.
TEST(Mixture, TellsCandidatesApartThatAreAlike) {
    std::mt19937_64 generator(23);
    constexpr Index d = 10;
    const MatrixXd common = 1e4 * MatrixXd::Identity(d, d);
    std::vector<Candidate> candidates;
    for (int m = 0; m < 5; ++m) {
        candidates.push_back(
            {MatrixXd(common + test::isotropic_noise(d, 1.0, generator)), 1.0, 0.0});
    }
    const MatrixXd target = 0.5 * (test::matrix_of(candidates[1]) + test::matrix_of(candidates[3]));
    const Mixture mixture = mixture_of(candidates, target, VectorXd::Zero(5));
    VectorXd expected(5);
    expected << 0.0, 0.5, 0.0, 0.5, 0.0;
    EXPECT_LT((mixture.weights - expected).norm(), 1e-3);
    EXPECT_LT((mixture.matrix - target).norm(), 1e-3);
    // Control: the best single candidate is far away.
    EXPECT_GT((test::matrix_of(candidates[1]) - target).norm(), 1.0);
}

}  // namespace
}  // namespace dpcov::detail
