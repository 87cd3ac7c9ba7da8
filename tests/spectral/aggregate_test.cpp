// The mixture against the conditions of its optimum and against a search, and Stein's estimate of
// it.
#include "spectral/aggregate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

double objective(const std::vector<Candidate>& candidates, const MatrixXd& target,
                 const VectorXd& penalties, const VectorXd& weights) {
    MatrixXd rest = -target;
    for (std::size_t m = 0; m < candidates.size(); ++m) {
        rest += weights[static_cast<Index>(m)] * candidates[m].matrix;
    }
    return rest.squaredNorm() + 2.0 * weights.dot(penalties);
}

TEST(Mixture, MeetsTheConditionsOfTheOptimum) {
    std::mt19937_64 generator(21);
    for (const Index d : {1, 3, 8}) {
        for (int round = 0; round < 20; ++round) {
            std::vector<Candidate> candidates = random_candidates(6, d, generator);
            candidates.push_back(candidates[0]);                     // the same twice
            candidates.push_back({MatrixXd::Zero(d, d), 1.0, 0.0});  // and nothing
            const MatrixXd target = 2.0 * candidates[0].matrix + candidates[3].matrix +
                                    test::isotropic_noise(d, 0.5, generator);
            const VectorXd penalties = VectorXd::Constant(8, 0.3);
            const Mixture mixture = best_mixture(candidates, target, penalties);
            MatrixXd rebuilt = MatrixXd::Zero(d, d);
            double divergence = 0.0;
            const double size = 1.0 + target.norm();
            for (Index m = 0; m < 8; ++m) {
                const Candidate& candidate = candidates[static_cast<std::size_t>(m)];
                ASSERT_GE(mixture.weights[m], 0.0);
                rebuilt += mixture.weights[m] * candidate.matrix;
                divergence += mixture.weights[m] * candidate.divergence;
                // Half the gradient: zero where the weight is positive, else not negative.
                const double slope =
                    (mixture.matrix - target).cwiseProduct(candidate.matrix).sum() + penalties[m];
                EXPECT_GT(slope, -1e-4 * size * size);
                if (mixture.weights[m] > 0.0) {
                    EXPECT_LT(slope, 1e-4 * size * size);
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
                EXPECT_GE(objective(candidates, target, penalties, other), least - 1e-6 * size);
            }
            EXPECT_GT(objective(candidates, target, penalties, VectorXd::Constant(8, 3.0)), least);
        }
    }
}

TEST(Mixture, IsZeroWhereThePenaltyIsMoreThanTheGain) {
    const MatrixXd one = MatrixXd::Identity(2, 2);
    const std::vector<Candidate> candidates = {{one, 1.0, 0.0}};
    // Gain <g, Y> = 2.
    EXPECT_TRUE(best_mixture(candidates, one, VectorXd::Constant(1, 2.1)).weights.isZero(0.0));
    EXPECT_TRUE(best_mixture(candidates, -one, VectorXd::Zero(1)).matrix.isZero(0.0));
    EXPECT_DOUBLE_EQ(best_mixture(candidates, one, VectorXd::Constant(1, 1.0)).weights[0], 0.5);
}

}  // namespace
}  // namespace dpcov::detail
