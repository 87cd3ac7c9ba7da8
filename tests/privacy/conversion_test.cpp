// The conversions against Proposition 12 of Canonne, Kamath and Steinke 2020 as it is printed,
// minimised over a grid of alpha and then by golden sections, at 512 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "dpcov/budget.hpp"
#include "dpcov/error.hpp"
#include "support/expected_error.hpp"
#include "support/special_numbers.hpp"
#include "support/test_size.hpp"
#include "support/usage_error.hpp"

namespace dpcov {
namespace {

using test::infinity;
using test::test_size;

// A 512-bit number; just enough to write the formula down.
class Big {
public:
    Big(double value) {  // NOLINT(google-explicit-constructor): numbers in formulas
        mpfr_init2(value_, 512);
        mpfr_set_d(value_, value, MPFR_RNDN);
    }
    Big(const Big& other) : Big(0.0) { mpfr_set(value_, other.value_, MPFR_RNDN); }
    Big& operator=(const Big& other) {
        mpfr_set(value_, other.value_, MPFR_RNDN);
        return *this;
    }
    ~Big() { mpfr_clear(value_); }

    friend Big operator+(const Big& a, const Big& b) { return apply(mpfr_add, a, b); }
    friend Big operator-(const Big& a, const Big& b) { return apply(mpfr_sub, a, b); }
    friend Big operator*(const Big& a, const Big& b) { return apply(mpfr_mul, a, b); }
    friend Big operator/(const Big& a, const Big& b) { return apply(mpfr_div, a, b); }
    friend Big log(const Big& a) { return apply(mpfr_log, a); }
    friend Big exp(const Big& a) { return apply(mpfr_exp, a); }
    friend bool operator<(const Big& a, const Big& b) {
        return mpfr_less_p(a.value_, b.value_) != 0;
    }
    friend bool operator<=(const Big& a, const Big& b) {
        return mpfr_lessequal_p(a.value_, b.value_) != 0;
    }

    [[nodiscard]] double to_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

private:
    template <class Function, class... Arguments>
    static Big apply(Function function, const Arguments&... arguments) {
        Big result(0.0);
        function(result.value_, arguments.value_..., MPFR_RNDN);
        return result;
    }

    mpfr_t value_;
};

// log of the quantity that the proposition minimises, at alpha = 1 + e^log_excess.
Big log_delta_at(double rho, double epsilon, const Big& log_excess) {
    const Big excess = exp(log_excess);
    const Big alpha = excess + 1.0;
    return excess * (alpha * rho - epsilon) - log_excess + alpha * log(Big(1.0) - Big(1.0) / alpha);
}

// log of the infimum. The grid makes no assumption on the shape; the golden sections then take the
// two cells about the best point for unimodal.
Big log_delta(double rho, double epsilon) {
    constexpr double step = 0.5;
    double best = -100.0;
    // As alpha falls to 1, delta tends to 1.
    Big least(0.0);
    for (double candidate = best; candidate <= 100.0; candidate += step) {
        const Big value = log_delta_at(rho, epsilon, candidate);
        if (value < least) {
            least = value;
            best = candidate;
        }
    }
    const Big golden(0.6180339887498949);
    Big low(best - step);
    Big high(best + step);
    Big left = high - golden * (high - low);
    Big right = low + golden * (high - low);
    Big at_left = log_delta_at(rho, epsilon, left);
    Big at_right = log_delta_at(rho, epsilon, right);
    for (int section = 0; section < 120; ++section) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = log_delta_at(rho, epsilon, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = log_delta_at(rho, epsilon, right);
        }
        least = at_left < least ? at_left : least;
        least = at_right < least ? at_right : least;
    }
    return least;
}

// Log-uniform on [low, high].
double log_uniform(std::mt19937_64& engine, double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(engine));
}

// delta over 1e-300 .. 0.99, half of the time near the upper end.
double random_delta(std::mt19937_64& engine) {
    return engine() % 2 == 0 ? log_uniform(engine, 1e-300, 0.99) : log_uniform(engine, 1e-3, 0.99);
}

// The answers are this close to the infimum, relatively (epsilon: see there).
constexpr double tightness = 1e-12;

TEST(DeltaOf, IsTheInfimumRoundedUp) {
    std::mt19937_64 engine(11);
    const int answers = test_size(60, 200);
    int strictly_inside = 0;
    for (int i = 0; i < answers; ++i) {
        const double rho = log_uniform(engine, 1e-12, 1e4);
        // Half of them where delta is neither 0 nor 1.
        const double epsilon =
            i % 2 == 0
                ? log_uniform(engine, 1e-6, 1e4)
                : std::clamp(rho + log_uniform(engine, 0.01, 30.0) * std::sqrt(rho), 1e-6, 1e4);
        const double delta = delta_of(Rho(rho), Epsilon(epsilon));
        const Big exact = exp(log_delta(rho, epsilon));
        ASSERT_TRUE(exact <= delta) << rho << " " << epsilon << " " << delta;
        ASSERT_LE(delta, 1.0);
        if (delta > std::numeric_limits<double>::min()) {
            ASSERT_TRUE(Big(delta) * (1.0 - tightness) < exact) << rho << " " << epsilon;
        }
        strictly_inside += delta > 1e-300 && delta < 0.99 ? 1 : 0;
    }
    EXPECT_GT(strictly_inside, 2 * answers / 5);
}

TEST(EpsilonOf, IsTheLeastThatHoldsRoundedUp) {
    std::mt19937_64 engine(12);
    for (int i = 0; i < test_size(50, 150); ++i) {
        const double rho = log_uniform(engine, 1e-12, 1e4);
        const double delta = random_delta(engine);
        const double epsilon = epsilon_of(Rho(rho), Delta(delta)).value();
        ASSERT_TRUE(exp(log_delta(rho, epsilon)) <= delta) << rho << " " << delta;
        if (epsilon > std::numeric_limits<double>::min()) {
            // Where epsilon passes through 0 a relative error says nothing: sqrt(rho) is the unit.
            const double less = epsilon - tightness * (epsilon + 1e-3 * std::sqrt(rho));
            ASSERT_TRUE(Big(delta) < exp(log_delta(rho, less)))
                << rho << " " << delta << " " << epsilon;
        }
    }
}

TEST(RhoFor, IsTheLargestThatHoldsRoundedDown) {
    std::mt19937_64 engine(13);
    for (int i = 0; i < test_size(50, 150); ++i) {
        const double epsilon = log_uniform(engine, 1e-6, 1e4);
        const double delta = random_delta(engine);
        const double rho = rho_for({Epsilon(epsilon), Delta(delta)}).value();
        ASSERT_TRUE(exp(log_delta(rho, epsilon)) <= delta) << epsilon << " " << delta;
        ASSERT_TRUE(Big(delta) < exp(log_delta(rho * (1.0 + tightness), epsilon)))
            << epsilon << " " << delta << " " << rho;
    }
}

// Negative control: the same comparison refuses answers that are wrong by 1e-12 on the unsafe side.
TEST(Reference, CatchesAnAnswerOnTheUnsafeSide) {
    std::mt19937_64 engine(14);
    for (int i = 0; i < 20; ++i) {
        const double rho = log_uniform(engine, 1e-3, 10.0);
        const double delta = log_uniform(engine, 1e-12, 0.1);
        const double epsilon = epsilon_of(Rho(rho), Delta(delta)).value();
        EXPECT_FALSE(exp(log_delta(rho, epsilon * (1.0 - 1e-12))) <= delta);
        EXPECT_FALSE(exp(log_delta(rho * (1.0 + 1e-12), epsilon)) <= delta);
    }
}

TEST(Conversions, AreConsistent) {
    std::mt19937_64 engine(15);
    for (int i = 0; i < test_size(3000, 20000); ++i) {
        const Rho rho(log_uniform(engine, 1e-12, 1e4));
        const Delta delta(random_delta(engine));
        const Epsilon epsilon = epsilon_of(rho, delta);
        ASSERT_LE(delta_of(rho, epsilon), delta.value()) << rho.value() << " " << epsilon.value();

        const ApproximateDp target{Epsilon(log_uniform(engine, 1e-6, 1e4)), delta};
        const Rho largest = rho_for(target);
        ASSERT_LE(delta_of(largest, target.epsilon), delta.value());
        ASSERT_LE(epsilon_of(largest, delta).value(), target.epsilon.value());
    }
}

TEST(Conversions, InvertEachOther) {
    std::mt19937_64 engine(16);
    for (int i = 0; i < 2000; ++i) {
        const Rho rho(log_uniform(engine, 1e-9, 1e3));
        const Delta delta(log_uniform(engine, 1e-300, 1e-6));
        const Epsilon epsilon = epsilon_of(rho, delta);
        if (epsilon.value() < 1e-6) {
            continue;
        }
        EXPECT_NEAR(rho_for({epsilon, delta}).value() / rho.value(), 1.0, 1e-9);
        EXPECT_NEAR(std::log(delta_of(rho, epsilon)) / std::log(delta.value()), 1.0, 1e-9);
    }
}

TEST(Conversions, AreTighterThanTheSimpleFormula) {
    std::mt19937_64 engine(17);
    for (int i = 0; i < test_size(3000, 20000); ++i) {
        const double rho = log_uniform(engine, 1e-12, 1e4);
        const double delta = random_delta(engine);
        const double simple = rho + 2.0 * std::sqrt(rho * std::log(1.0 / delta));
        ASSERT_LT(epsilon_of(Rho(rho), Delta(delta)).value(), simple) << rho << " " << delta;
    }
}

TEST(Conversions, AreMonotone) {
    std::mt19937_64 engine(18);
    for (int i = 0; i < test_size(1000, 5000); ++i) {
        const Rho rho(log_uniform(engine, 1e-10, 1e3));
        const Rho more_rho(rho.value() * (1.0 + log_uniform(engine, 1e-6, 1.0)));
        const Epsilon epsilon(log_uniform(engine, 1e-5, 1e3));
        const Epsilon more_epsilon(epsilon.value() * (1.0 + log_uniform(engine, 1e-6, 1.0)));
        const Delta delta(random_delta(engine) / 2.0);
        const Delta more_delta(delta.value() * (1.0 + log_uniform(engine, 1e-6, 1.0)));
        ASSERT_LE(delta_of(rho, epsilon), delta_of(more_rho, epsilon));
        ASSERT_GE(delta_of(rho, epsilon), delta_of(rho, more_epsilon));
        ASSERT_LE(epsilon_of(rho, delta).value(), epsilon_of(more_rho, delta).value());
        ASSERT_GE(epsilon_of(rho, delta).value(), epsilon_of(rho, more_delta).value());
        ASSERT_LT(rho_for({epsilon, delta}).value(), rho_for({more_epsilon, delta}).value());
        ASSERT_LT(rho_for({epsilon, delta}).value(), rho_for({epsilon, more_delta}).value());
    }
}

TEST(Conversions, KnownValues) {
    // Computed once with 50-digit decimals by bisection on the printed formula.
    EXPECT_NEAR(epsilon_of(Rho(0.1), Delta(1e-6)).value(), 2.1419389283854736614, 1e-14);
    EXPECT_NEAR(epsilon_of(Rho(1.0), Delta(1e-10)).value(), 10.034343581347629888, 1e-13);
    EXPECT_NEAR(delta_of(Rho(0.5), Epsilon(4.0)), 1.9579541695772159730e-4, 1e-17);
    EXPECT_NEAR(rho_for({Epsilon(1.0), Delta(1e-6)}).value(), 0.024355970359538372886, 1e-15);
}

TEST(Conversions, StayFiniteAndSafeAtTheEnds) {
    // No delta that a double can hold is small enough.
    EXPECT_EQ(delta_of(Rho(1e-12), Epsilon(1e4)), std::numeric_limits<double>::min());
    // Nothing is promised where rho dwarfs epsilon.
    EXPECT_EQ(delta_of(Rho(1e4), Epsilon(1e-6)), 1.0);
    // So little rho that epsilon = 0 would do.
    EXPECT_EQ(epsilon_of(Rho(1e-12), Delta(0.99)).value(), std::numeric_limits<double>::min());
    EXPECT_TRUE(std::isfinite(epsilon_of(Rho(1e300), Delta(5e-324)).value()));
    EXPECT_GT(epsilon_of(Rho(1e300), Delta(5e-324)).value(), 1e300);
    EXPECT_GT(rho_for({Epsilon(1e-100), Delta(1e-300)}).value(), 0.0);
    test::expect_error<UsageError>(
        [] {
            (void)rho_for({Epsilon(1e-200), Delta(1e-300)});
        },
        {"give a larger epsilon or delta"});
    EXPECT_THROW((void)epsilon_of(Rho(std::numeric_limits<double>::max()), Delta(1e-300)),
                 UsageError);
}

TEST(PureDp, RhoOfEpsilonIsTheSquareHalvedRoundedUp) {
    EXPECT_EQ(rho_of(Epsilon(1.0)).value(), 0.5);
    EXPECT_EQ(rho_of(Epsilon(0.5)).value(), 0.125);
    EXPECT_EQ(rho_of(Epsilon(1e-200)).value(), 5e-324);
    EXPECT_THAT(test::usage_error_of([] { return rho_of(Epsilon(1e200)); }),
                testing::HasSubstr("epsilon"));
    std::mt19937_64 engine(19);
    for (int i = 0; i < 10000; ++i) {
        const double epsilon = log_uniform(engine, 1e-6, 1e4);
        const double twice = 2.0 * rho_of(Epsilon(epsilon)).value();
        ASSERT_LE(std::fma(epsilon, epsilon, -twice), 0.0);
        ASSERT_GT(std::fma(epsilon, epsilon, -std::nextafter(twice, 0.0)), 0.0);
    }
}

TEST(PureDp, EpsilonWithinRhoIsTheRootRoundedDown) {
    EXPECT_EQ(epsilon_within(Rho(0.5)).value(), 1.0);
    EXPECT_EQ(epsilon_within(Rho(8.0)).value(), 4.0);
    EXPECT_TRUE(std::isfinite(epsilon_within(Rho(std::numeric_limits<double>::max())).value()));
    std::mt19937_64 engine(20);
    for (int i = 0; i < 10000; ++i) {
        const double rho = log_uniform(engine, 1e-12, 1e4);
        const double epsilon = epsilon_within(Rho(rho)).value();
        const double above = std::nextafter(epsilon, infinity);
        ASSERT_LE(std::fma(epsilon, epsilon, -2.0 * rho), 0.0);
        ASSERT_GT(std::fma(above, above, -2.0 * rho), 0.0);
        ASSERT_LE(rho_of(Epsilon(epsilon)).value(), rho);
    }
}

}  // namespace
}  // namespace dpcov
