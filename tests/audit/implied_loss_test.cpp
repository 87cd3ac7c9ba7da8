// What an event proves, against laws whose privacy loss is known in closed form.
#include "audit/implied_loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dpcov::audit {
namespace {

// P(Binomial(n, p) >= k), by its definition.
double upper_tail(std::uint64_t k, std::uint64_t n, double p) {
    double sum = 0.0;
    for (std::uint64_t i = k; i <= n; ++i) {
        const auto successes = static_cast<double>(i);
        const auto trials = static_cast<double>(n);
        sum += std::exp(std::lgamma(trials + 1.0) - std::lgamma(successes + 1.0) -
                        std::lgamma(trials - successes + 1.0) + successes * std::log(p) +
                        (trials - successes) * std::log1p(-p));
    }
    return sum;
}

// The limit is where the count or more (or fewer) would have exactly that probability.
TEST(ClopperPearson, LimitsHaveTheirRisk) {
    for (const double risk : {0.05, 1e-3, 1e-6}) {
        for (const std::uint64_t seen : {1U, 2U, 17U, 99U}) {
            const Count count{seen, 100};
            EXPECT_NEAR(upper_tail(seen, 100, lower_limit(count, risk)) / risk, 1.0, 1e-6);
            EXPECT_NEAR((1.0 - upper_tail(seen + 1, 100, upper_limit(count, risk))) / risk, 1.0,
                        1e-5);
        }
        EXPECT_EQ(lower_limit({0, 100}, risk), 0.0);
        EXPECT_EQ(upper_limit({100, 100}, risk), 1.0);
        EXPECT_NEAR(upper_limit({0, 100}, risk), 1.0 - std::pow(risk, 0.01), 1e-12);
        EXPECT_NEAR(lower_limit({100, 100}, risk), std::pow(risk, 0.01), 1e-12);
    }
}

// Randomised response is epsilon-DP and no better; and it is (epsilon, delta)-DP with epsilon less.
TEST(ImpliedLoss, OfRandomisedResponseIsItsEpsilon) {
    for (const double epsilon : {0.01, 1.0, 5.0}) {
        const double p = std::exp(epsilon) / (1.0 + std::exp(epsilon));
        EXPECT_NEAR(implied_loss(Epsilon(1.0), p, 1.0 - p), epsilon, 1e-12);
        const double delta = 1e-3;
        EXPECT_NEAR(implied_loss(ApproximateDp{Epsilon(1.0), Delta(delta)}, p, 1.0 - p),
                    std::log((p - delta) / (1.0 - p)), 1e-12);
        // epsilon-DP implies epsilon^2 / 2 - zCDP (Bun and Steinke 2016), nearly tight when small.
        const double rho = implied_loss(Rho(1.0), p, 1.0 - p);
        EXPECT_LE(rho, 0.5 * epsilon * epsilon);
        if (epsilon < 0.1) {
            EXPECT_GT(rho, 0.99 * 0.5 * epsilon * epsilon);
        }
    }
}

// A Gaussian shifted by sqrt(2 rho) deviations is rho-zCDP with equality at every order. No event
// above a threshold shows more, and the best of them shows most of it. Control: the shift of 1.3
// rho is found out.
TEST(ImpliedLoss, OfAGaussianShiftIsBelowItsRhoAndNearIt) {
    const auto greatest = [](double rho) {
        const double shift = std::sqrt(2.0 * rho);
        double best = 0.0;
        for (double threshold = -4.0; threshold < 8.0; threshold += 0.05) {
            const double p = 0.5 * std::erfc((threshold - shift) / std::sqrt(2.0));
            const double q = 0.5 * std::erfc(threshold / std::sqrt(2.0));
            best = std::max(best, implied_loss(Rho(1.0), p, q));
            EXPECT_LE(implied_loss(Rho(1.0), 1.0 - q, 1.0 - p), rho);
        }
        return best;
    };
    for (const double rho : {0.01, 0.1, 0.5, 1.0, 4.0}) {
        EXPECT_LE(greatest(rho), rho);
        EXPECT_GT(greatest(1.3 * rho), rho);
    }
}

// So limits on the safe side of p and q give a bound on the safe side.
TEST(ImpliedLoss, GrowsWithPAndFallsWithQ) {
    for (const Definition& claim : {Definition(Rho(1.0)), Definition(Epsilon(1.0)),
                                    Definition(ApproximateDp{Epsilon(1.0), Delta(1e-6)})}) {
        for (double q = 0.001; q < 0.9; q += 0.05) {
            double before = 0.0;
            for (double p = 0.0; p <= 1.0; p += 1.0 / 64) {
                const double loss = implied_loss(claim, p, q);
                EXPECT_GE(loss, before - 1e-12);
                EXPECT_LE(implied_loss(claim, p, q + 0.01), loss + 1e-12);
                before = loss;
            }
        }
        EXPECT_EQ(implied_loss(claim, 0.3, 0.3), 0.0);
        EXPECT_EQ(implied_loss(claim, 0.2, 0.3), 0.0);
        EXPECT_EQ(implied_loss(claim, 0.5, 0.0), std::numeric_limits<double>::infinity());
        EXPECT_GT(implied_loss(claim, 1.0, 1e-9), 1.0);
    }
}

TEST(ClaimedLoss, IsRhoOrEpsilon) {
    EXPECT_EQ(claimed_loss(Rho(0.5)), 0.5);
    EXPECT_EQ(claimed_loss(Epsilon(2.0)), 2.0);
    EXPECT_EQ(claimed_loss(ApproximateDp{Epsilon(3.0), Delta(1e-6)}), 3.0);
}

}  // namespace
}  // namespace dpcov::audit
