// The bound from means, on Gaussian laws whose divergence is known.
#include "audit/divergence_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dpcov::audit {
namespace {

Eigen::VectorXd normal_sample(Eigen::Index size, double mean, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> law(mean);
    return Eigen::VectorXd::NullaryExpr(size, [&] { return law(generator); });
}

// KL(N(m, 1) || N(0, 1)) = m^2 / 2. At risk 0.05 and 400 repetitions the bound may be above it 20
// times, and 41 times or more with probability below 10^-5; it is far safer than that. With many
// runs it comes near.
TEST(DivergenceBound, IsBelowTheDivergenceAndComesNearIt) {
    for (const double divergence : {0.1, 0.5, 1.0}) {
        const double shift = std::sqrt(2.0 * divergence);
        int above = 0;
        for (std::uint64_t seed = 0; seed < 400; ++seed) {
            const Score score = fit_score(normal_sample(300, shift, 4 * seed),
                                          normal_sample(300, 0.0, 4 * seed + 1), 0.05);
            above += divergence_bound(score, normal_sample(300, shift, 4 * seed + 2),
                                      normal_sample(300, 0.0, 4 * seed + 3), 0.05) > divergence
                         ? 1
                         : 0;
        }
        EXPECT_LE(above, 40) << divergence;

        const Score score =
            fit_score(normal_sample(100000, shift, 1), normal_sample(100000, 0.0, 2), 1e-3);
        const double shown = divergence_bound(score, normal_sample(100000, shift, 3),
                                              normal_sample(100000, 0.0, 4), 1e-3);
        EXPECT_LE(shown, divergence);
        EXPECT_GT(shown, 0.75 * divergence);
    }
}

// Control: without the deviations, what is counted on the runs that the score was fitted to is
// above the divergence more often than the risk allows.
TEST(DivergenceBound, NeedsItsDeviations) {
    int above = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const Eigen::VectorXd on_p = normal_sample(300, 0.4, 2 * seed);
        const Eigen::VectorXd on_q = normal_sample(300, 0.0, 2 * seed + 1);
        const Score score{on_p.mean() - on_q.mean(), 0.5 * (on_p.mean() + on_q.mean()), 4.0};
        const Eigen::VectorXd exponentials = on_q.unaryExpr(score).array().exp();
        above += on_p.unaryExpr(score).mean() - std::log(exponentials.mean()) > 0.08 ? 1 : 0;
    }
    EXPECT_GT(above, 40);
}

TEST(DivergenceBound, OfEqualSamplesFindsNothing) {
    const Eigen::VectorXd constant = Eigen::VectorXd::Constant(100, 3.0);
    EXPECT_EQ(fit_score(constant, constant, 0.05).slope, 0.0);
    const Eigen::VectorXd sample = normal_sample(100, 0.0, 1);
    EXPECT_EQ(fit_score(sample, sample, 0.05).slope, 0.0);
}

}  // namespace
}  // namespace dpcov::audit
