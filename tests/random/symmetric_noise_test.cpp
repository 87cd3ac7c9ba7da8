// Noise on a symmetric matrix: the variances of the two laws, one grid, Laplace scales.
#include "random/symmetric_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "random/big_integer.hpp"
#include "statistics.hpp"

namespace dpcov::test {
namespace {

constexpr std::size_t d = 400;
constexpr double s = 0x1.8p50;

struct Variances {
    double diagonal = 0;
    double off_diagonal = 0;
};

/// In units of s^2, over a d x d matrix whose entries are far from zero.
Variances variances(NoiseLaw law) {
    const SymmetricNoise noise = symmetric_noise(law, s);
    std::vector<Int128> values(d * (d + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Int128>(i) << 60;
    std::vector<Int128> noisy = values;
    SeededRandomSource random(89);
    add_symmetric_gaussian(random, noisy, noise);

    Variances sum;
    std::size_t at = 0;
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i <= j; ++i, ++at) {
            EXPECT_TRUE((noisy[at] & ((Int128{1} << noise.diagonal.grid_log2) - 1)) == 0);
            const double z = static_cast<double>(noisy[at] - values[at]) / s;
            (i == j ? sum.diagonal : sum.off_diagonal) += z * z;
        }
    }
    return {sum.diagonal / d, sum.off_diagonal / (d * (d - 1) / 2.0)};
}

/// The p-value of a mean of `count` squares of Gaussians against its variance.
double p_value(double mean_square, double variance, double count) {
    return two_sided_p_value((mean_square / variance - 1) / std::sqrt(2 / count));
}

TEST(SymmetricNoise, HasTheVariancesOfItsLaw) {
    const double pairs = d * (d - 1) / 2.0;
    const Variances wigner = variances(NoiseLaw::wigner);
    EXPECT_GT(p_value(wigner.diagonal, 1.0, d), false_alarm);
    EXPECT_GT(p_value(wigner.off_diagonal, 1.0, pairs), false_alarm);
    const Variances isotropic = variances(NoiseLaw::isotropic);
    EXPECT_GT(p_value(isotropic.diagonal, 1.0, d), false_alarm);
    EXPECT_GT(p_value(isotropic.off_diagonal, 0.5, pairs), false_alarm);
    // Controls: one law taken for the other, diagonal and rest confused.
    EXPECT_LT(p_value(wigner.off_diagonal, 0.5, pairs), false_alarm);
    EXPECT_LT(p_value(isotropic.off_diagonal, 1.0, pairs), false_alarm);
    EXPECT_LT(p_value(isotropic.diagonal, 0.5, d), false_alarm);
}

TEST(SymmetricNoise, SharesOneGrid) {
    for (const double scale : {0.5, 1.0, 0x1p24, 0x1p25, 0x1.7p40, 0x1p100}) {
        for (const NoiseLaw law : {NoiseLaw::wigner, NoiseLaw::isotropic}) {
            const SymmetricNoise noise = symmetric_noise(law, scale);
            EXPECT_EQ(noise.diagonal.grid_log2, noise.off_diagonal.grid_log2);
            EXPECT_LE(noise.diagonal.grid_log2, gaussian_grid_log2(scale));
        }
    }
}

// 2 (m 2^e)^2 >= s^2 > 2 ((m - 1) 2^e)^2: the least 64-bit mantissa that is large enough.
TEST(SymmetricNoise, RoundsTheOffDiagonalDeviationUp) {
    for (const double scale : {0.1, 1.0, 3.0, 0x1.23456789abcdep50, 0x1p100}) {
        const SymmetricNoise noise = symmetric_noise(NoiseLaw::isotropic, scale);
        const auto square = [](const GaussianNoise& g, unsigned long less) {
            constexpr int shift = 200;  // makes both exponents positive
            const mpz_class root = detail::to_big(g.mantissa) - less;
            return mpz_class(root * root * detail::power_of_two(2 * (g.exponent + shift)));
        };
        const mpz_class whole = square(noise.diagonal, 0);
        EXPECT_EQ(noise.off_diagonal.mantissa >> 63, 1U);
        EXPECT_TRUE(2 * square(noise.off_diagonal, 0) >= whole);
        EXPECT_TRUE(2 * square(noise.off_diagonal, 1) < whole);
    }
}

// |Laplace| is exponential: twice the sum of m of them over the scale is chi-square with 2 m
// degrees of freedom. False alarm: 2e-6.
TEST(SymmetricLaplaceNoise, HasTheScalesOfItsLaw) {
    for (const NoiseLaw law : {NoiseLaw::wigner, NoiseLaw::isotropic}) {
        std::vector<Int128> values(d * (d + 1) / 2);
        SeededRandomSource random(90);
        add_symmetric_laplace(random, values, symmetric_laplace_noise(law, s));
        double diagonal = 0;
        double off_diagonal = 0;
        std::size_t at = 0;
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i <= j; ++i, ++at) {
                (i == j ? diagonal : off_diagonal) +=
                    std::fabs(static_cast<double>(values[at])) / s;
            }
        }
        const auto p = [](double sum, double scale, std::size_t count) {
            const double above = chi_square_tail(2.0 * sum / scale, 2 * count);
            return 2.0 * std::min(above, 1.0 - above);
        };
        const double rest = law == NoiseLaw::wigner ? 1.0 : std::sqrt(0.5);
        const double other = law == NoiseLaw::wigner ? std::sqrt(0.5) : 1.0;
        EXPECT_GT(p(diagonal, 1.0, d), false_alarm);
        EXPECT_GT(p(off_diagonal, rest, d * (d - 1) / 2), false_alarm);
        // Controls: one law taken for the other.
        EXPECT_LT(p(diagonal, std::sqrt(0.5), d), false_alarm);
        EXPECT_LT(p(off_diagonal, other, d * (d - 1) / 2), false_alarm);
    }
}

// 2 off^2 >= b^2, and a relative 2^-50 less is not: in exact integers.
TEST(SymmetricLaplaceNoise, RoundsTheOffDiagonalScaleUp) {
    for (const double b : {0.1, 1.0, 3.0, 0x1.23456789abcdep70, 0x1p100}) {
        const SymmetricLaplaceNoise noise = symmetric_laplace_noise(NoiseLaw::isotropic, b);
        const auto big = [](UInt128 value) { return detail::to_big(static_cast<Int128>(value)); };
        const mpz_class off =
            big(noise.off_diagonal.numerator) * detail::to_big(noise.diagonal.denominator);
        const mpz_class whole =
            big(noise.diagonal.numerator) * detail::to_big(noise.off_diagonal.denominator);
        EXPECT_TRUE(2 * off * off >= whole * whole) << b;
        const mpz_class square = 2 * off * off;
        EXPECT_TRUE(square - square / mpz_class(1UL << 49) < whole * whole) << b;
    }
}

TEST(SymmetricNoise, LeavesAnEmptyMatrixAlone) {
    SeededRandomSource random(97);
    std::vector<Int128> nothing;
    add_symmetric_gaussian(random, nothing, symmetric_noise(NoiseLaw::isotropic, 1.0));
    EXPECT_TRUE(nothing.empty());
    // Nor is anything drawn for it.
    SeededRandomSource untouched(97);
    EXPECT_EQ(random.next_word(), untouched.next_word());
}

// Between a power of two and the root of two times it the two deviations have different exponents,
// and so grids.
TEST(SymmetricNoise, SharesTheFinerGrid) {
    for (const double scale : {0x1p40, 0x1.2p40, 0x1.6p40, 0x1.8p40}) {
        const int of_off_diagonal = gaussian_grid_log2(scale / std::sqrt(2.0));
        EXPECT_EQ(symmetric_noise(NoiseLaw::isotropic, scale).diagonal.grid_log2, of_off_diagonal);
        EXPECT_EQ(gaussian_grid_log2(scale) > of_off_diagonal, scale < 0x1.6a09p40);
    }
}

// 2 (numerator / denominator)^2 >= b^2: noise off the diagonal is never less than the law says.
TEST(SymmetricLaplaceNoise, IsNowhereLessThanTheLawSays) {
    std::mt19937_64 engine(85);
    for (int i = 0; i < 20000; ++i) {
        const double b =
            std::ldexp(1.0 + std::ldexp(static_cast<double>(engine() >> 12U), -52), 53);
        const LaplaceScale scale = symmetric_laplace_noise(NoiseLaw::isotropic, b).off_diagonal;
        const mpz_class numerator = detail::to_big(static_cast<Int128>(scale.numerator));
        const mpz_class least = mpz_class(b) * detail::to_big(scale.denominator);
        ASSERT_TRUE(2 * numerator * numerator >= least * least) << b;
        const mpz_class less = numerator - 8;  // and hardly more: this test can fail
        ASSERT_TRUE(scale.denominator != 1 || 2 * less * less < least * least) << b;
    }
}

}  // namespace
}  // namespace dpcov::test
