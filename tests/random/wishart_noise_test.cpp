// Two-sided Wishart noise: exactly rounded on every grid, and of the stated law.
#include "random/wishart_noise.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpcov/error.hpp"
#include "random/big_integer.hpp"
#include "statistics.hpp"
#include "support/decompositions.hpp"

namespace dpcov::test {
namespace {

// The same number as add_gaussian's, before its rounding: from the same words the floor at 55
// digits and the nearest multiple of 2^10 of 2^-55 agree. Every path but the tail comes up.
TEST(LazyNormal, IsTheNumberThatAddGaussianRounds) {
    const GaussianNoise noise = gaussian_noise(0x1p55, 10);
    std::size_t finer = 0;
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
        SeededRandomSource random(90, seed);
        const LazyNormal normal = lazy_normal(random);
        SeededRandomSource again(90, seed);
        const auto rounded = static_cast<std::int64_t>(add_gaussian(again, 0, noise));
        EXPECT_GE(normal.floor, rounded - 513) << seed;
        EXPECT_LE(normal.floor, rounded + 512) << seed;
        if (normal.finer) {
            ++finer;
            const mpz_class leading =
                normal.finer->digits >>
                static_cast<mp_bitcnt_t>(normal.finer->fraction_bits - LazyNormal::fraction_bits);
            EXPECT_TRUE(leading == static_cast<long>(normal.floor)) << seed;
        }
    }
    EXPECT_GT(finer, 20U);  // one in 300, that is 67 expected
}

// The same to the last digit: with a grid of 2^-55 add_gaussian gives the floor or the number after
// it, as further digits tell, whatever the sign.
TEST(LazyNormal, IsTheFloorOfTheNumberThatAddGaussianRounds) {
    const GaussianNoise noise = gaussian_noise(0x1p55, 0);
    std::size_t up = 0;
    std::size_t negative_and_finer = 0;
    for (std::uint64_t seed = 0; seed < 40000; ++seed) {
        SeededRandomSource random(89, seed);
        const LazyNormal normal = lazy_normal(random);
        SeededRandomSource again(89, seed);
        const auto above = static_cast<std::int64_t>(add_gaussian(again, 0, noise)) - normal.floor;
        ASSERT_TRUE(above == 0 || above == 1) << seed;
        up += above == 1 ? 1 : 0;
        negative_and_finer += normal.finer && normal.floor < 0 ? 1 : 0;
    }
    EXPECT_GT(up, 10000U);  // half of them
    EXPECT_GT(negative_and_finer, 20U);
}

// Bounds of (G G^T - H H^T)_ij from 55 digits below the point of every number, packed, in units of
// 2^-110, by rational corners.
struct Enclosure {
    std::vector<mpz_class> low;
    std::vector<mpz_class> high;
};

Enclosure enclosure(std::size_t d, std::uint64_t seed, int second_sign = -1) {
    SeededRandomSource random(seed);
    const std::size_t m = d + 1;
    Enclosure bounds{std::vector<mpz_class>(d * (d + 1) / 2),
                     std::vector<mpz_class>(d * (d + 1) / 2)};
    for (const int sign : {1, second_sign}) {
        for (std::size_t k = 0; k < m; ++k) {
            std::vector<mpz_class> column(d);
            for (mpz_class& z : column) z = static_cast<long>(lazy_normal(random).floor);
            for (std::size_t j = 0; j < d; ++j) {
                for (std::size_t i = 0; i <= j; ++i) {
                    std::vector<mpz_class> corners;
                    for (const int s : {0, 1}) {
                        for (const int t : {0, 1}) {
                            corners.emplace_back(sign * (column[i] + s) * (column[j] + t));
                        }
                    }
                    bounds.low[j * (j + 1) / 2 + i] +=
                        *std::min_element(corners.begin(), corners.end());
                    bounds.high[j * (j + 1) / 2 + i] +=
                        *std::max_element(corners.begin(), corners.end());
                }
            }
        }
    }
    return bounds;
}

/// floor((value + scale w 2^-110) / 2^grid + 1/2) 2^grid; scale a power of two >= 1 times an
/// integer below 2^53.
Int128 rounded(Int128 value, double scale, const mpz_class& w, int grid_log2) {
    const mpz_class sum =
        (detail::to_big(value) << 110) + mpz_class(scale) * w +
        detail::power_of_two(110 + grid_log2 - (grid_log2 > 0 ? 1 : 0)) / (grid_log2 > 0 ? 1 : 2);
    const int step_log2 = 110 + grid_log2;
    const mpz_class steps = sum >> static_cast<mp_bitcnt_t>(step_log2);
    return detail::clamp_to_int128(steps * detail::power_of_two(grid_log2));
}

std::vector<Int128> values_for(std::size_t d) {
    std::vector<Int128> values(d * (d + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = (static_cast<Int128>(i) << 80) * (i % 2 == 0 ? 1 : -1) + 12345;
    }
    return values;
}

// From the default grid, which doubles decide, down to one where no entry is decided before more
// digits are drawn: each entry is the rounding of a point of its enclosure, and where all points
// round alike it is that.
TEST(WishartNoise, IsExactlyRoundedOnEveryGrid) {
    for (const std::size_t d : {1U, 2U, 7U, 40U}) {
        const double scale = 0x1.76543p60;
        const std::vector<Int128> values = values_for(d);
        const Enclosure w = enclosure(d, 91);
        const Enclosure sum_of_both = enclosure(d, 91, 1);
        for (const int grid_log2 : {wishart_noise(scale, d).grid_log2, 30, 20, 15, 10, 0}) {
            SeededRandomSource random(91);
            std::vector<Int128> noisy = values;
            add_wishart(random, noisy, {scale, d, grid_log2});
            std::size_t decided = 0;
            for (std::size_t i = 0; i < values.size(); ++i) {
                const Int128 low = rounded(values[i], scale, w.low[i], grid_log2);
                const Int128 high = rounded(values[i], scale, w.high[i], grid_log2);
                EXPECT_TRUE(low <= noisy[i] && noisy[i] <= high) << d << ' ' << grid_log2;
                EXPECT_TRUE(noisy[i] % (Int128{1} << grid_log2) == 0);
                // Control: P + Q.
                EXPECT_FALSE(rounded(values[i], scale, sum_of_both.low[i], grid_log2) <= noisy[i] &&
                             noisy[i] <= rounded(values[i], scale, sum_of_both.high[i], grid_log2));
                decided += low == high ? 1 : 0;
            }
            if (grid_log2 >= 30) {
                EXPECT_EQ(decided, values.size());
            }
            if (grid_log2 == 0) {
                EXPECT_EQ(decided, 0U);
            }
        }
    }
}

/// Counts the words that it hands out.
class CountingSource final : public RandomSource {
public:
    explicit CountingSource(std::uint64_t seed) : source_(seed) {}
    std::uint64_t next_word() override {
        ++words;
        return source_.next_word();
    }
    [[nodiscard]] bool is_secure() const noexcept override { return false; }

    std::size_t words = 0;

private:
    SeededRandomSource source_;
};

// On grids beyond what doubles decide, more digits are drawn exactly where those known leave two
// roundings open: bounds that are too narrow would draw fewer, and give what may be wrong.
TEST(WishartNoise, AsksForMoreDigitsWhereTwoRoundingsAreOpen) {
    constexpr double scale = 0x1p60;
    constexpr int grid_log2 = 9;
    std::size_t open = 0;
    constexpr std::uint64_t seeds = 400;
    for (std::uint64_t seed = 1000; seed < 1000 + seeds; ++seed) {
        CountingSource normals(seed);
        for (int i = 0; i < 4; ++i) (void)lazy_normal(normals);
        CountingSource random(seed);
        std::vector<Int128> noisy(1);
        add_wishart(random, noisy, {scale, 1, grid_log2});
        const Enclosure w = enclosure(1, seed);
        const bool is_open =
            rounded(0, scale, w.low[0], grid_log2) != rounded(0, scale, w.high[0], grid_log2);
        EXPECT_EQ(random.words > normals.words, is_open) << seed;
        open += is_open ? 1 : 0;
    }
    EXPECT_GT(open, seeds / 8);
    EXPECT_LT(open, seeds - seeds / 8);
}

// Steps of a size at which products in doubles err often: what is released never does. Control:
// the same products in doubles, rounded without a second look.
TEST(WishartNoise, LooksAgainWhereDoublesCannotDecide) {
    constexpr std::size_t d = 60;
    constexpr double scale = 0x1p60;
    constexpr int grid_log2 = 14;
    const Enclosure w = enclosure(d, 92);
    SeededRandomSource random(92);
    std::vector<Int128> noisy(d * (d + 1) / 2);
    add_wishart(random, noisy, {scale, d, grid_log2});

    Eigen::MatrixXd products = Eigen::MatrixXd::Zero(d, d);
    SeededRandomSource again(92);
    for (const double sign : {1.0, -1.0}) {
        for (std::size_t k = 0; k <= d; ++k) {
            Eigen::VectorXd column(d);
            for (double& z : column) {
                z = std::ldexp(static_cast<double>(lazy_normal(again).floor), -55);
            }
            products += sign * column * column.transpose();
        }
    }
    std::size_t doubles_err = 0;
    std::size_t decided = 0;
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            const std::size_t entry = j * (j + 1) / 2 + i;
            const Int128 low = rounded(0, scale, w.low[entry], grid_log2);
            if (low != rounded(0, scale, w.high[entry], grid_log2)) continue;
            ++decided;
            EXPECT_TRUE(noisy[entry] == low);
            const double naive = std::ldexp(
                std::floor(
                    std::ldexp(products(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)),
                               60 - grid_log2) +
                    0.5),
                grid_log2);
            doubles_err += static_cast<Int128>(naive) != low ? 1 : 0;
        }
    }
    EXPECT_GT(decided, 500U);
    EXPECT_GT(doubles_err, 10U);
}

// Values half a step from two grid points, and noise that is lost beside them in doubles: its sign
// decides. Control: in doubles the sum is the same for both signs.
TEST(WishartNoise, LooksAgainWhereTheNoiseIsLostBesideTheValue) {
    constexpr int grid_log2 = 62;
    const Int128 half_step = Int128{1} << (grid_log2 - 1);
    ASSERT_EQ(1.0 - 0x1p-62, 1.0);
    std::size_t down = 0;
    constexpr std::uint64_t seeds = 100;
    for (std::uint64_t seed = 2000; seed < 2000 + seeds; ++seed) {
        const Enclosure w = enclosure(1, seed);
        const bool is_negative = w.high[0] < 0;
        ASSERT_TRUE(is_negative || w.low[0] >= 0);
        SeededRandomSource random(seed);
        std::vector<Int128> noisy = {half_step};
        add_wishart(random, noisy, {1.0, 1, grid_log2});
        EXPECT_TRUE(noisy[0] == (is_negative ? 0 : 2 * half_step)) << seed;
        down += is_negative ? 1 : 0;
    }
    EXPECT_GT(down, seeds / 4);
    EXPECT_LT(down, seeds - seeds / 4);
}

// Values that put all that 55 digits leave open just above the middle between two grid points, or
// just below it, where squares cancel: what is rounded is never on the other side. Control: the
// same squares in doubles often are.
TEST(WishartNoise, LooksAgainWhereSquaresCancel) {
    constexpr double scale = 0x1p60;
    constexpr int grid_log2 = 30;
    const mpz_class step = detail::power_of_two(grid_log2);
    std::size_t doubles_err = 0;
    std::size_t cases = 0;
    for (std::uint64_t seed = 3000; seed < 23000; ++seed) {
        SeededRandomSource numbers(seed);
        double squares = 0.0;
        for (const double sign : {1.0, 1.0, -1.0, -1.0}) {
            const double z = std::ldexp(static_cast<double>(lazy_normal(numbers).floor), -55);
            squares += sign * z * z;
        }
        if (std::fabs(squares) > 0.03) continue;
        const Enclosure w = enclosure(1, seed);
        for (const bool above : {false, true}) {
            // A lattice unit is 2^50 units of the enclosure.
            const mpz_class nearest = -((above ? w.low[0] : w.high[0]) >> 50U) - (above ? 0 : 1);
            const Int128 value = detail::clamp_to_int128(mpz_class(nearest - step / 2));
            const Int128 low = rounded(value, scale, w.low[0], grid_log2);
            ASSERT_TRUE(low == rounded(value, scale, w.high[0], grid_log2));
            ++cases;
            SeededRandomSource random(seed);
            std::vector<Int128> noisy = {value};
            add_wishart(random, noisy, {scale, 1, grid_log2});
            EXPECT_TRUE(noisy[0] == low) << seed;
            const double steps = std::ldexp(squares, 60 - grid_log2) +
                                 std::ldexp(static_cast<double>(value), -grid_log2) + 0.5;
            doubles_err += static_cast<Int128>(std::floor(steps)) << grid_log2 == low ? 0 : 1;
        }
    }
    EXPECT_GT(cases, 200U);
    EXPECT_GT(doubles_err, 20U);
}

// In one dimension P is exponential of mean 2 c, so P - Q is Laplace of scale 2 c. Forty cells of
// equal probability. False alarm: 1e-6.
TEST(WishartNoise, IsLaplaceInOneDimension) {
    constexpr std::size_t draws = 200000;
    constexpr int cells = 40;
    constexpr double scale = 0x1p50;
    const auto p_value = [&](double b, const auto& draw) {
        std::vector<std::uint64_t> counts(cells);
        SeededRandomSource random(93);
        for (std::size_t i = 0; i < draws; ++i) {
            const double x = draw(random) / b;
            const double cdf = x < 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x);
            ++counts[static_cast<std::size_t>(std::min(cells - 1.0, std::floor(cells * cdf)))];
        }
        return chi_square_p_value(counts, std::vector<double>(cells, 1.0 / cells));
    };
    const WishartNoise noise = wishart_noise(scale, 1);
    const auto two_sided = [&](RandomSource& random) {
        std::vector<Int128> value(1, 0);
        add_wishart(random, value, noise);
        return static_cast<double>(value[0]);
    };
    // P - E P alone, by the same exponential law.
    const auto one_sided = [&](RandomSource& random) {
        return std::fabs(two_sided(random)) - 2.0 * scale;
    };
    EXPECT_GT(p_value(2.0 * scale, two_sided), false_alarm);
    EXPECT_LT(p_value(2.0 * 1.03 * scale, two_sided), false_alarm);  // controls
    EXPECT_LT(p_value(2.0 * scale, one_sided), false_alarm);
}

// Means, variances and correlations of single entries over independent matrices. With m = d + 1 in
// units of c: diagonal variance 4 m, and N^2 of variance 32 m^2 + 96 m; off it 2 m and 8 m^2 + 12 m
// (fourth cumulants 48 m each for P and Q, and 6 m). z-scores, false alarm 1e-6 each.
TEST(WishartNoise, EntriesHaveTheirMoments) {
    constexpr std::size_t d = 5;
    constexpr double m = d + 1;
    constexpr double runs = 40000;
    constexpr double scale = 0x1p45;
    double diagonal = 0.0;
    double diagonal_square = 0.0;
    double off = 0.0;
    double off_square = 0.0;
    double two_diagonals = 0.0;
    double diagonal_and_off = 0.0;
    const WishartNoise noise = wishart_noise(scale, d);
    SeededRandomSource random(94);
    for (int run = 0; run < runs; ++run) {
        std::vector<Int128> values(d * (d + 1) / 2);
        add_wishart(random, values, noise);
        const auto entry = [&](std::size_t i, std::size_t j) {
            return static_cast<double>(values[j * (j + 1) / 2 + i]) / scale;
        };
        diagonal += entry(2, 2) / runs;
        diagonal_square += entry(2, 2) * entry(2, 2) / runs;
        off += entry(1, 3) / runs;
        off_square += entry(1, 3) * entry(1, 3) / runs;
        two_diagonals += entry(0, 0) * entry(4, 4) / runs;
        diagonal_and_off += entry(1, 1) * entry(1, 3) / runs;
    }
    const auto p = [&](double mean, double expected, double variance) {
        return two_sided_p_value((mean - expected) / std::sqrt(variance / runs));
    };
    EXPECT_GT(p(diagonal, 0.0, 4.0 * m), false_alarm);
    EXPECT_GT(p(off, 0.0, 2.0 * m), false_alarm);
    EXPECT_GT(p(diagonal_square, 4.0 * m, 32.0 * m * m + 96.0 * m), false_alarm);
    EXPECT_GT(p(off_square, 2.0 * m, 8.0 * m * m + 12.0 * m), false_alarm);
    EXPECT_GT(p(two_diagonals, 0.0, 16.0 * m * m), false_alarm);
    // E (N_11 N_13)^2 = 8 m^2 + cumulant; 2 (8 m^2 + 24 m) is above it.
    EXPECT_GT(p(diagonal_and_off, 0.0, 16.0 * m * m + 48.0 * m), false_alarm);
    // Controls: d instead of d + 1 degrees of freedom; the two variances confused.
    EXPECT_LT(p(diagonal_square, 4.0 * d, 32.0 * m * m + 96.0 * m), false_alarm);
    EXPECT_LT(p(off_square, 2.0 * d, 8.0 * m * m + 12.0 * m), false_alarm);
    EXPECT_LT(p(off_square, 4.0 * m, 32.0 * m * m + 96.0 * m), false_alarm);
}

// The spectrum tends to the free difference of two Marchenko-Pastur laws of ratio one: moments
// 2 and 10 in units of c (d + 1), edge 3.330 (docs/bounds.md#wishart). Deviations are of order 1/d,
// of the edge d^(-2/3) = 2 %. Controls: the semicircle of that variance has 8 and 2.83.
TEST(WishartNoise, HasItsSpectrum) {
    constexpr std::size_t d = 300;
    constexpr double scale = 0x1p45;
    std::vector<Int128> values(d * (d + 1) / 2);
    SeededRandomSource random(95);
    add_wishart(random, values, wishart_noise(scale, d));
    Eigen::MatrixXd matrix(d, d);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            const double entry =
                static_cast<double>(values[j * (j + 1) / 2 + i]) / (scale * (d + 1.0));
            matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = entry;
            matrix(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = entry;
        }
    }
    const Eigen::VectorXd eigenvalues = spectrum(matrix);
    EXPECT_NEAR(eigenvalues.array().square().mean(), 2.0, 0.06);
    EXPECT_NEAR(eigenvalues.array().pow(4).mean(), 10.0, 0.6);
    EXPECT_NEAR(eigenvalues.maxCoeff(), 3.33, 0.2);
    EXPECT_NEAR(eigenvalues.minCoeff(), -3.33, 0.2);
}

TEST(WishartNoise, RefusesScalesBeyondItsRange) {
    for (const double scale : {0.0, -1.0, 0x1p101, 0x1p-101, std::nan("")}) {
        EXPECT_THROW((void)wishart_noise(scale, 3), UsageError);
    }
}

// The ends of the range, and the default grid there.
TEST(WishartNoise, TakesScalesAtTheEndsOfItsRange) {
    for (const double scale : {0x1p-100, 0x1p-3, 1.0, 0x1p100}) {
        const WishartNoise noise = wishart_noise(scale, 3);
        EXPECT_GE(noise.grid_log2, 0);
        EXPECT_LE(std::ldexp(1.0, noise.grid_log2), std::max(1.0, scale * 0x1p-18));
        const std::vector<Int128> values = values_for(3);
        std::vector<Int128> noisy = values;
        SeededRandomSource random(96);
        add_wishart(random, noisy, noise);
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_LT(std::fabs(static_cast<double>(noisy[i] - values[i])),
                      100.0 * scale + std::ldexp(1.0, noise.grid_log2));
        }
    }
    std::vector<Int128> nothing;
    SeededRandomSource random(97);
    add_wishart(random, nothing, wishart_noise(1.0, 0));
}

}  // namespace
}  // namespace dpcov::test
