// The Gaussian trade-off curve against values that mpmath gives to 1000 digits
// (tests/privacy/gaussian_curve_reference.py prints these tables), bit for bit: every answer is the
// double next to the exact one, on the safe side.
#include <gtest/gtest.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <mpfr.h>

#include <cmath>
#include <limits>
#include <random>

#include "arithmetic/real.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/error.hpp"
#include "privacy/gaussian_curve.hpp"
#include "support/test_size.hpp"

namespace dpcov {
namespace {

struct CurvePoint {
    double rho;
    double epsilon;
    double delta;
};

// Rounded up.
constexpr CurvePoint deltas[] = {
    {0.028, 1.0, 9.946903524472863e-07},
    {0.5, 1.0, 0.12693673750664397},
    {0.5, 5e-324, 0.38292492254802624},
    {0.0001, 0.1, 1.5572554521681392e-15},
    {0.0001, 5e-324, 0.005641848820031551},
    {1e-300, 5e-324, 5.6418958354775636e-151},
    {1e-300, 1e-150, 1.9964122837424568e-151},
    {5e-324, 5e-324, 1.2540573331991176e-162},
    {5e-324, 1e-161, 6.242454587504903e-166},
    {1e-12, 3e-05, 2.3937982005159275e-107},
    {2.0, 75.0, 2.876398024108054e-293},
    {0.5, 37.0, 1.476469534442528e-293},
    {100.0, 600.0, 1.1845806645190498e-274},
    {1000000.0, 1000000.0, 0.49971790534927335},
    {1000000.0, 1040000.0, 2.6449662264944553e-176},
    {100000000.0, 100000000.0, 0.4999717905209637},
    {100000000.0, 100020000.0, 0.0786392268754239},
    {10000.0, 1.0, 1.0},
    {30.0, 1e-06, 0.999892488769515},
};

// rho rounded down.
constexpr CurvePoint rhos[] = {
    {0.028014481912630337, 1.0, 1e-06},
    {0.035925702327418214, 1.0, 1e-05},
    {0.0003793538785273965, 0.1, 1e-06},
    {0.15117330954247232, 3.0, 1e-08},
    {0.7188679480490496, 8.0, 1e-10},
    {0.1417869904664076, 1.0, 0.01},
    {1.944655522732232, 1.0, 0.5},
    {49.764700728990114, 1.0, 0.999999},
    {8.423062076312857e-14, 1e-06, 1e-09},
    {3.1415926535914377e-12, 5e-324, 1e-06},
    {0.00036790000766747527, 1.0, 1e-300},
    {121.94609497818504, 700.0, 1e-300},
    {6.562329724462472e-300, 1e-150, 1e-150},
    {3.141592653589793e-200, 5e-324, 1e-100},
    {9968591.274645986, 10000000.0, 1e-12},
};

// epsilon rounded up.
constexpr CurvePoint epsilons[] = {
    {0.1, 1.9945269006963386, 1e-06},       {0.5, 4.886554117462213, 1e-06},
    {1.0, 9.61818460467359, 1e-10},         {0.001, 0.14168536707790547, 1e-05},
    {10.0, 36.190259072211234, 1e-09},      {0.5, 1.1603338527916174, 0.1},
    {1.0, 53.26639227048703, 1e-300},       {1e-08, 0.005191482009728019, 1e-300},
    {1e-100, 8.661475103078262e-50, 1e-60}, {100000.0, 102124.80125483581, 1e-06},
    {200.0, 137.11036385001933, 0.999},
};

// Searches where delta is smaller take seconds each: at full size only.
const double least_delta = test::test_size(1e-200, 0.0);

TEST(GaussianCurve, DeltaIsTheExactOneRoundedUp) {
    for (const auto& [rho, epsilon, delta] : deltas) {
        EXPECT_EQ(delta_of(Rho(rho), Epsilon(epsilon), Curve::gaussian), delta)
            << rho << " " << epsilon;
    }
}

// The probability that a standard normal number is above x, to 300 bits.
double upper_tail(double x, mpfr_rnd_t rounding) {
    detail::Real tail(300);
    detail::Real root(300);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_d_div(tail, x, root, MPFR_RNDN);
    mpfr_erfc(tail, tail, MPFR_RNDN);
    mpfr_div_2ui(tail, tail, 1, MPFR_RNDN);
    return mpfr_get_d(tail, rounding);
}

// Beyond 38 deviations, where doubles are subnormal: delta is not taken for the least of them. At
// mu = 1 delta is from 2^-6 of the tail's to all of it.
TEST(GaussianCurve, DeltaIsNotTooSmallWhereItIsSubnormal) {
    for (const double distance : {37.8, 38.1, 38.3, 38.4}) {
        const Epsilon epsilon(distance + 0.5);
        const double delta = detail::gaussian_delta(Rho(0.5), epsilon);
        EXPECT_GE(delta, 0x1p-6 * upper_tail(distance, MPFR_RNDD)) << distance;
        EXPECT_LE(delta, upper_tail(distance, MPFR_RNDU)) << distance;
    }
}

// Between 8 and 9 deviations from above delta is not yet the number before 1. Of mu = 2^13 what
// is taken off the tail is less than a thousandth of what doubles tell there.
TEST(GaussianCurve, DeltaIsLessThanOneForAsLongAsDoublesTell) {
    for (const double distance : {-7.9, -8.0, -8.1, -8.2}) {
        const Epsilon epsilon(0x1p13 * (distance + 0x1p12));
        EXPECT_EQ(delta_of(Rho(0x1p25), epsilon, Curve::gaussian), upper_tail(distance, MPFR_RNDU))
            << distance;
    }
    EXPECT_LT(upper_tail(-8.1, MPFR_RNDU), 1.0);
}

TEST(GaussianCurve, RhoIsTheExactOneRoundedDown) {
    for (const auto& [rho, epsilon, delta] : rhos) {
        if (delta < least_delta) continue;
        EXPECT_EQ(rho_for({Epsilon(epsilon), Delta(delta)}, Curve::gaussian).value(), rho)
            << epsilon << " " << delta;
    }
}

TEST(GaussianCurve, EpsilonIsTheExactOneRoundedUp) {
    for (const auto& [rho, epsilon, delta] : epsilons) {
        if (delta < least_delta) continue;
        EXPECT_EQ(epsilon_of(Rho(rho), Delta(delta), Curve::gaussian).value(), epsilon)
            << rho << " " << delta;
    }
}

#if defined(__SSE2__)
// As a program does at its start that was linked with -Ofast.
class DenormalsAreZeros {
public:
    DenormalsAreZeros() { _mm_setcsr(before_ | 0x8040U); }  // FTZ and DAZ
    ~DenormalsAreZeros() { _mm_setcsr(before_); }
    DenormalsAreZeros(const DenormalsAreZeros&) = delete;
    DenormalsAreZeros& operator=(const DenormalsAreZeros&) = delete;

private:
    unsigned before_ = _mm_getcsr();
};

// A search that begins at the least denormal would find that nothing is small enough.
TEST(GaussianCurve, IsTheSameWhereDenormalsAreZeros) {
    const DenormalsAreZeros zeros;
    volatile double denormal = std::numeric_limits<double>::denorm_min();
    ASSERT_FALSE(denormal > 0.0) << "control";
    EXPECT_EQ(rho_for({Epsilon(1.0), Delta(1e-6)}, Curve::gaussian).value(), 0.028014481912630337);
    EXPECT_EQ(epsilon_of(Rho(0.5), Delta(0.1), Curve::gaussian).value(), 1.1603338527916174);
    EXPECT_EQ(delta_of(Rho(0.028), Epsilon(1.0), Curve::gaussian), 9.946903524472863e-07);
    EXPECT_EQ(delta_of(Rho(1e-12), Epsilon(1.0), Curve::gaussian),
              std::numeric_limits<double>::min());
}
#endif

double tail(double x) {
    return 0.5 * std::erfc(x / std::sqrt(2.0));
}

// Negative control: what mistakes in the formula give is none of the table's values.
TEST(GaussianCurve, TheTableCatchesMistakes) {
    int without_second_term = 0;
    int mu_for_rho = 0;
    int zcdp = 0;
    for (const auto& [rho, epsilon, delta] : deltas) {
        const double mu = std::sqrt(2.0 * rho);
        without_second_term += tail(epsilon / mu - mu / 2.0) > delta * (1.0 + 1e-3) ? 1 : 0;
        mu_for_rho += delta_of(Rho(std::sqrt(rho)), Epsilon(epsilon), Curve::gaussian) != delta;
        zcdp += delta_of(Rho(rho), Epsilon(epsilon)) > delta ? 1 : 0;
    }
    EXPECT_GE(without_second_term, 14);
    EXPECT_GE(mu_for_rho, 16);
    EXPECT_GE(zcdp, 18);
}

double between(std::mt19937_64& engine, double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(engine));
}

// Whatever the search does, what it returns satisfies the curve, and the double beside it does not.
TEST(GaussianCurve, AnswersAreConsistentAndTheBestDoubles) {
    std::mt19937_64 engine(31);
    const int searches = test::test_size(5, 15);
    for (int i = 0; i < searches; ++i) {
        const Delta delta(between(engine, 1e-30, 0.99));
        const Epsilon epsilon(between(engine, 1e-6, 1e4));
        const double rho = rho_for({epsilon, delta}, Curve::gaussian).value();
        ASSERT_LE(delta_of(Rho(rho), epsilon, Curve::gaussian), delta.value());
        ASSERT_GT(delta_of(Rho(std::nextafter(rho, HUGE_VAL)), epsilon, Curve::gaussian),
                  delta.value())
            << epsilon.value() << " " << delta.value();

        const Rho spent(between(engine, 1e-12, 1e4));
        const double least = epsilon_of(spent, delta, Curve::gaussian).value();
        ASSERT_LE(delta_of(spent, Epsilon(least), Curve::gaussian), delta.value());
        if (least > std::numeric_limits<double>::min()) {
            ASSERT_GT(delta_of(spent, Epsilon(std::nextafter(least, 0.0)), Curve::gaussian),
                      delta.value())
                << spent.value() << " " << delta.value();
            // There and back: as near as epsilon's own rounding allows.
            ASSERT_NEAR(rho_for({Epsilon(least), delta}, Curve::gaussian).value() / spent.value(),
                        1.0, 1e-9);
        }
    }
}

TEST(GaussianCurve, IsMonotone) {
    std::mt19937_64 engine(32);
    for (int i = 0; i < 200; ++i) {
        const Rho rho(between(engine, 1e-10, 1e3));
        const Rho more_rho(rho.value() * (1.0 + between(engine, 1e-6, 1.0)));
        const Epsilon epsilon(between(engine, 1e-5, 1e3));
        const Epsilon more_epsilon(epsilon.value() * (1.0 + between(engine, 1e-6, 1.0)));
        const double delta = delta_of(rho, epsilon, Curve::gaussian);
        ASSERT_LE(delta, delta_of(more_rho, epsilon, Curve::gaussian));
        ASSERT_GE(delta, delta_of(rho, more_epsilon, Curve::gaussian));
    }
}

// A Gaussian mechanism is rho-zCDP, so what holds for all of those holds for it.
TEST(GaussianCurve, IsNeverAboveThatOfZcdp) {
    std::mt19937_64 engine(33);
    for (int i = 0; i < 200; ++i) {
        const Rho rho(between(engine, 1e-12, 1e4));
        const Epsilon epsilon(between(engine, 1e-6, 1e4));
        ASSERT_LE(delta_of(rho, epsilon, Curve::gaussian), delta_of(rho, epsilon));
    }
    for (int i = 0; i < 10; ++i) {
        const ApproximateDp target{Epsilon(between(engine, 0.01, 10.0)),
                                   Delta(between(engine, 1e-12, 1e-2))};
        const double gain = rho_for(target, Curve::gaussian).value() / rho_for(target).value();
        ASSERT_GT(gain, 1.05) << target.epsilon.value() << " " << target.delta.value();
    }
    const ApproximateDp usual{Epsilon(1.0), Delta(1e-6)};
    EXPECT_NEAR(rho_for(usual, Curve::gaussian).value() / rho_for(usual).value(), 1.1502, 1e-4);
}

TEST(GaussianCurve, StaysSafeAtTheEnds) {
    const auto delta = [](double rho, double epsilon) {
        return delta_of(Rho(rho), Epsilon(epsilon), Curve::gaussian);
    };
    constexpr double least = std::numeric_limits<double>::min();
    constexpr double most = std::numeric_limits<double>::max();
    EXPECT_EQ(delta(1e-12, 1e4), least);
    EXPECT_EQ(delta(5e-324, most), least);
    EXPECT_EQ(delta(most, 5e-324), 1.0);
    EXPECT_EQ(delta(most, 1e4), 1.0);
    // At epsilon = rho the first tail is Phi(0) and the second nothing: here beyond 2^28, where the
    // second is left out.
    EXPECT_EQ(delta(1e300, 1e300), std::nextafter(0.5, 1.0));
    // Just below and above that: no jump down, and up by less than one part in 500.
    const double below = delta(0x1p28, 0x1p28);
    const double above = delta(std::nextafter(0x1p28, most), std::nextafter(0x1p28, most));
    EXPECT_GT(above, below);
    EXPECT_LT(above, below * 1.002);
    EXPECT_EQ(epsilon_of(Rho(1e-12), Delta(0.99), Curve::gaussian).value(), least);
    EXPECT_GT(epsilon_of(Rho(1e300), Delta(5e-324), Curve::gaussian).value(), 1e300);
    EXPECT_THROW((void)epsilon_of(Rho(most), Delta(1e-300), Curve::gaussian), UsageError);
    EXPECT_GT(
        rho_for({Epsilon(1e-100), Delta(test::test_size(1e-150, 1e-300))}, Curve::gaussian).value(),
        0.0);
    EXPECT_THROW((void)rho_for({Epsilon(1e-200), Delta(1e-300)}, Curve::gaussian), UsageError);
}

// Why an account in (epsilon, delta)-DP does not change from one curve to the other
// (docs/privacy.md#ledger): whoever spends a part on Gaussian noise, looks at the loss so far and
// then either goes on with it up to the Gaussian limit, or takes randomised response up to the zCDP
// limit, does worse than delta; though each path by itself is within its limit. In doubles, by the
// midpoint rule: without the choice it gives delta to seven digits.
TEST(GaussianCurve, AdaptiveChoiceOfTheCurveWouldBreakDelta) {
    const ApproximateDp target{Epsilon(1.0), Delta(1e-6)};
    const double gaussian_limit = rho_for(target, Curve::gaussian).value();
    const double zcdp_limit = rho_for(target, Curve::zcdp).value();
    const double first = 0.7 * zcdp_limit;
    const double mu = std::sqrt(2.0 * first);
    const double rest = std::sqrt(2.0 * (gaussian_limit - first));
    const double pure = std::sqrt(2.0 * (zcdp_limit - first));
    const auto by_gaussian = [rest](double epsilon) {
        return tail(epsilon / rest - rest / 2.0) -
               std::exp(epsilon) * tail(epsilon / rest + rest / 2.0);
    };
    const auto by_randomised_response = [pure](double epsilon) {
        if (epsilon <= -pure) return 1.0 - std::exp(epsilon);
        if (epsilon >= pure) return 0.0;
        return (std::exp(pure) - std::exp(epsilon)) / (1.0 + std::exp(pure));
    };
    constexpr int points = 20000;
    double fixed = 0.0;
    double chosen = 0.0;
    for (int i = 0; i < points; ++i) {
        const double z = -10.0 + 20.0 * (i + 0.5) / points;
        const double weight = std::exp(-0.5 * z * z) / std::sqrt(2.0 * M_PI) * 20.0 / points;
        const double left = 1.0 - (first + mu * z);  // of epsilon, after the loss so far
        fixed += weight * by_gaussian(left);
        chosen += weight * std::fmax(by_gaussian(left), by_randomised_response(left));
    }
    EXPECT_NEAR(fixed, 1e-6, 1e-13);
    EXPECT_GT(chosen, 1.00008e-6);
}

}  // namespace
}  // namespace dpcov
