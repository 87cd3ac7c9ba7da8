#include <gtest/gtest.h>

#include <cmath>

#include "dpcov/budget.hpp"

namespace dpcov {
namespace {

// Phi(mu / 2), mu = sqrt(2 rho), in doubles.
double guess_by_gaussian(double rho) {
    return 0.5 * std::erfc(-std::sqrt(2.0 * rho) / (2.0 * std::sqrt(2.0)));
}

TEST(BestGuess, IsPhiOfHalfMuForGaussianNoise) {
    for (const double rho : {1e-9, 1e-3, 0.1, 0.5, 3.0, 20.0}) {
        EXPECT_NEAR(best_guess(Rho(rho), Curve::gaussian), guess_by_gaussian(rho), 4e-16) << rho;
    }
    EXPECT_EQ(best_guess(Rho(1e4), Curve::gaussian), 1.0);
}

TEST(BestGuess, IsTheLesserOfTwoUnderZcdp) {
    EXPECT_NEAR(best_guess(Rho(0.5)), 0.75, 2e-16);  // Pinsker
    EXPECT_NEAR(best_guess(Rho(2.0)), 0.5 * (1.0 + delta_of(Rho(2.0), Epsilon(1e-300))), 4e-16);
    for (const double rho : {1e-300, 1e-9, 1e-3, 0.1, 1.0, 5.0, 1e3}) {
        const double guess = best_guess(Rho(rho));
        EXPECT_GE(guess, best_guess(Rho(rho), Curve::gaussian)) << rho;
        EXPECT_GE(guess, best_guess(epsilon_within(Rho(rho)))) << rho;
        EXPECT_LE(guess, 1.0) << rho;
    }
}

TEST(BestGuess, IsThatOfRandomisedResponseUnderPureDp) {
    EXPECT_NEAR(best_guess(Epsilon(1.0)), 0.73105857863000490, 2e-16);
    EXPECT_GT(best_guess(Epsilon(1e-300)), 0.5);
    EXPECT_EQ(best_guess(Epsilon(1e300)), 1.0);
    const auto pair = [](double epsilon, double delta) {
        return best_guess(ApproximateDp{Epsilon(epsilon), Delta(delta)});
    };
    EXPECT_NEAR(pair(1.0, 0.1), 0.75795272076700440, 2e-16);
    EXPECT_GE(pair(1.0, 1e-300), best_guess(Epsilon(1.0)));
    EXPECT_NEAR(pair(1e-9, 0.5), 0.75, 1e-9);
}

// What holds of all pairs of a mechanism holds of the mechanism: none says less than the exact one.
TEST(BestGuess, IsNoLessByAnyPair) {
    for (const double rho : {0.01, 0.5, 2.0}) {
        for (const double delta : {1e-9, 1e-3, 0.2}) {
            const Epsilon epsilon = epsilon_of(Rho(rho), Delta(delta), Curve::gaussian);
            EXPECT_GE(best_guess(ApproximateDp{epsilon, Delta(delta)}),
                      best_guess(Rho(rho), Curve::gaussian))
                << rho << " " << delta;
        }
    }
}

TEST(BestGuess, OfADefinitionIsThatOfWhatItHolds) {
    EXPECT_EQ(best_guess(Definition(Rho(0.5)), Curve::gaussian),
              best_guess(Rho(0.5), Curve::gaussian));
    EXPECT_EQ(best_guess(Definition(Rho(0.5)), Curve::zcdp), best_guess(Rho(0.5)));
    EXPECT_EQ(best_guess(Definition(Epsilon(0.5)), Curve::zcdp), best_guess(Epsilon(0.5)));
    const ApproximateDp small_delta{Epsilon(1.0), Delta(1e-6)};
    EXPECT_EQ(best_guess(Definition(small_delta), Curve::gaussian),
              best_guess(rho_for(small_delta, Curve::gaussian), Curve::gaussian));
    EXPECT_LT(best_guess(Definition(small_delta), Curve::gaussian), 0.55);
    EXPECT_GT(best_guess(small_delta), 0.73);
    const ApproximateDp great_delta{Epsilon(1e-3), Delta(0.5)};
    EXPECT_LE(best_guess(Definition(great_delta), Curve::zcdp), best_guess(great_delta));
}

}  // namespace
}  // namespace dpcov
