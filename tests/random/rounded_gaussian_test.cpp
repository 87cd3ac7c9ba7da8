// The law of the exactly rounded Gaussian, with controls that each test must catch.
#include "random/rounded_gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dpcov/error.hpp"
#include "place_scores.hpp"
#include "random/bernoulli.hpp"
#include "random/half_normal_table.hpp"
#include "statistics.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

using detail::HalfNormalTable;

const Int128 far_away = -(Int128{1} << 100) - 12345;

Draw gaussian(Int128 value, GaussianNoise noise) {
    return [=](RandomSource& random) { return add_gaussian(random, value, noise); };
}

/// Grid points about `value`, `per_sigma` to a standard deviation where the grid allows it, up to
/// six of them.
std::vector<Int128> edges_about(Int128 value, const GaussianNoise& noise, int per_sigma) {
    const double sigma = std::ldexp(static_cast<double>(noise.mantissa), noise.exponent);
    const double grid = std::ldexp(1.0, noise.grid_log2);
    const double width = std::max(1.0, std::floor(sigma / grid / per_sigma));
    const Int128 start = value >> noise.grid_log2;
    std::vector<Int128> edges;
    for (double at = 0; at * grid < 6 * sigma; at += width) {
        const auto steps = static_cast<Int128>(at);
        edges.push_back((start + steps) << noise.grid_log2);
        if (steps > 0) edges.insert(edges.begin(), (start - steps) << noise.grid_log2);
    }
    return edges;
}

double p_value(const Draw& draw, Int128 value, const GaussianNoise& assumed,
               std::size_t draws = test_size<std::size_t>(250000, 1000000)) {
    SeededRandomSource random(41);
    const auto edges = edges_about(value, assumed, 8);
    return chi_square_p_value(count_cells(random, draw, edges, draws),
                              rounded_gaussian_cells(value, assumed, edges));
}

TEST(RoundedGaussian, HasItsLawAtEverySizeOfSigmaAndValue) {
    for (const double sigma : {0.3, 1.0, 10.0, 0x1.23456789p40, 0x1.fp90, 0x1p100}) {
        const GaussianNoise noise = gaussian_noise(sigma);
        for (const Int128 value : {Int128{0}, Int128{1234567}, far_away}) {
            EXPECT_GT(p_value(gaussian(value, noise), value, noise), false_alarm) << sigma;
        }
    }
}

// P(|0.0625 Z| >= 1/2) = 1e-15.
TEST(RoundedGaussian, LeavesTheValueAloneAtATinySigma) {
    SeededRandomSource random(43);
    for (int i = 0; i < 100000; ++i) {
        EXPECT_TRUE(add_gaussian(random, -7, gaussian_noise(0.0625)) == -7);
    }
}

// Grids far coarser and far finer than the one we would choose.
TEST(RoundedGaussian, HasItsLawOnAnyGrid) {
    for (const int grid_log2 : {0, 3, 39, 41}) {
        const GaussianNoise noise = gaussian_noise(0x1.8p40, grid_log2);
        EXPECT_GT(p_value(gaussian(987654321, noise), 987654321, noise), false_alarm) << grid_log2;
    }
    const GaussianNoise slow = gaussian_noise(0x1p-90, 0);  // 128 bits do not hold the digits
    SeededRandomSource random(44);
    EXPECT_TRUE(add_gaussian(random, 5, slow) == 5);
}

// By two percent at full size; a quarter of the draws shows a fault that is twice as great.
TEST(RoundedGaussian, ControlASigmaThatIsOffIsCaught) {
    const double off = test_size(1.04, 1.02);
    for (const double sigma : {0.3, 1.0, 10.0, 0x1.23456789p40, 0x1.fp90}) {
        const GaussianNoise noise = gaussian_noise(sigma);
        EXPECT_LT(p_value(gaussian(0, gaussian_noise(sigma * off)), 0, noise), false_alarm);
        EXPECT_LT(p_value(gaussian(0, gaussian_noise(sigma / off)), 0, noise), false_alarm);
    }
}

TEST(RoundedGaussian, ControlOtherRoundingsAreCaught) {
    const GaussianNoise noise = gaussian_noise(10.0);
    // Down instead of to the nearest: half a step low.
    const GaussianNoise fine = gaussian_noise(10240.0);
    const Draw down = [&](RandomSource& random) { return add_gaussian(random, 0, fine) >> 10; };
    EXPECT_LT(p_value(down, 0, noise), false_alarm);
    // Towards zero.
    const Draw to_zero = [&](RandomSource& random) { return add_gaussian(random, 0, fine) / 1024; };
    EXPECT_LT(p_value(to_zero, 0, noise), false_alarm);
    // Up by one.
    const Draw plus_one = [&](RandomSource& random) { return add_gaussian(random, 0, noise) + 1; };
    EXPECT_LT(p_value(plus_one, 0, noise), false_alarm);
}

// A quarter of the draws misses the controls, so all of them at night; by day RoundedGaussianPaths
// holds the acceptance against exact arithmetic, digit by digit. False alarm: 1e-6.
TEST(RoundedGaussian, AcceptsWithTheRightProbability) {
    constexpr int draws = 20000000;
    const GaussianNoise noise = gaussian_noise(0x1p40, 0);
    EXPECT_GT(place_p_value(
                  [&](RandomSource& random) {
                      return std::abs(static_cast<double>(add_gaussian(random, 0, noise))) *
                             0x1p-40;
                  },
                  draws),
              false_alarm);
    // Control: the envelope alone, nothing rejected.
    EXPECT_LT(place_p_value(staircase, draws), false_alarm);
    // Control: everything rejected that the squeeze leaves open.
    EXPECT_LT(place_p_value(inner_staircase, draws), false_alarm);
}

// How many of 10^7 draws have |Z| > 4 (633 expected), by the normal approximation.
TEST(RoundedGaussian, HasItsTail) {
    constexpr int draws = 10000000;
    const double expected = draws * std::erfc(4 / std::numbers::sqrt2);
    const auto p_value = [&](int beyond) {
        return two_sided_p_value((beyond - expected) / std::sqrt(expected));
    };
    const GaussianNoise noise = gaussian_noise(0x1p40);
    SeededRandomSource random(53);
    int beyond = 0;
    int beyond_when_cut = 0;  // control: a tail cut at 4
    for (int i = 0; i < draws; ++i) {
        const double z = std::abs(static_cast<double>(add_gaussian(random, 0, noise))) * 0x1p-40;
        beyond += z > 4 ? 1 : 0;
        beyond_when_cut += std::min(4.0, z) > 4 ? 1 : 0;
    }
    EXPECT_GT(p_value(beyond), false_alarm);
    EXPECT_LT(p_value(beyond_when_cut), false_alarm);
}

/// Makes the next draw's first word one that picks a cell >= first_cell, uniformly among those
/// words; all other words are as they come. The law of an output beyond first_cell / 256 is then
/// that of Z given |Z| > first_cell / 256 (but for a chance of 1e-6: a second trial that lands
/// there too).
class FarSource final : public RandomSource {
public:
    explicit FarSource(std::size_t first_cell) : first_cell_(first_cell) {
        for (std::size_t k = first_cell; k < HalfNormalTable::columns; ++k) total_ += area(k);
    }

    void start_draw() { first_word_ = true; }

    std::uint64_t next_word() override {
        if (!first_word_) return random_.next_word();
        first_word_ = false;
        // A cell this far out has less than a column's area, so all its words are its own column's.
        auto place = static_cast<std::uint64_t>(uniform_below(random_, total_));
        std::size_t cell = first_cell_;
        while (place >= area(cell)) place -= area(cell++);
        const std::uint64_t word = (std::uint64_t{cell} << 53) + place;
        EXPECT_EQ(HalfNormalTable::instance().pick(word), cell);
        return word;
    }
    [[nodiscard]] bool is_secure() const noexcept override { return false; }

private:
    static std::uint64_t area(std::size_t cell) {
        return HalfNormalTable::instance().height(cell) * (cell == HalfNormalTable::tail ? 512 : 1);
    }

    SeededRandomSource random_{59};
    std::size_t first_cell_;
    std::uint64_t total_ = 0;
    bool first_word_ = false;
};

/// The p-value of the places beyond first_cell / 256 against the normal law given that it is there.
/// `stretch` multiplies the distance from there, for a control.
double far_p_value(std::size_t first_cell, double stretch) {
    const double start = static_cast<double>(first_cell) / 256;
    const GaussianNoise noise = gaussian_noise(0x1p60);
    // Z's upper tail from `start` on in 40 steps of 0.02 (at 8 the density falls by e^6.7 over
    // them).
    std::vector<double> cells;
    const double whole = std::erfc(start / std::numbers::sqrt2);
    double above = whole;
    for (int i = 1; i <= 40; ++i) {
        const double next = std::erfc((start + 0.02 * i) / std::numbers::sqrt2);
        cells.push_back((above - next) / whole);
        above = next;
    }
    cells.push_back(above / whole);

    FarSource random(first_cell);
    std::vector<std::uint64_t> counts(41);
    for (int i = 0; i < 60000; ++i) {
        random.start_draw();
        const double z = std::abs(static_cast<double>(add_gaussian(random, 0, noise))) * 0x1p-60;
        if (z < start) continue;
        ++counts[static_cast<std::size_t>(std::min(40.0, (z - start) * stretch / 0.02))];
    }
    return chi_square_p_value(counts, cells);
}

TEST(RoundedGaussian, HasItsLawBeyondFiveSevenAndInTheTailCell) {
    for (const std::size_t first_cell : {5UL * 256, 7UL * 256, HalfNormalTable::tail}) {
        EXPECT_GT(far_p_value(first_cell, 1.0), false_alarm) << first_cell;
        EXPECT_LT(far_p_value(first_cell, 1.2), false_alarm) << first_cell;  // control
    }
}

// The low digits of the output are uniform, and on the grid, whatever the value.
TEST(RoundedGaussian, LowDigitsTellNothingOfTheValue) {
    const GaussianNoise noise = gaussian_noise(0x1.8p60);
    EXPECT_EQ(noise.grid_log2, 36);
    for (const Int128 value : {Int128{0}, Int128{1}, Int128{0x123456789abcdef}, far_away}) {
        SeededRandomSource random(61);
        std::vector<std::uint64_t> counts(1024);
        for (int i = 0; i < 300000; ++i) {
            const Int128 output = add_gaussian(random, value, noise);
            ASSERT_TRUE((output & ((Int128{1} << noise.grid_log2) - 1)) == 0);
            ++counts[static_cast<std::size_t>(output >> noise.grid_log2 & 1023)];
        }
        EXPECT_GT(chi_square_p_value(counts, std::vector<double>(1024, 1.0 / 1024)), false_alarm);
    }
}

TEST(RoundedGaussian, VectorFormIsTheSameDrawAfterDraw) {
    const GaussianNoise noise = gaussian_noise(0x1p50);
    SeededRandomSource one(67);
    SeededRandomSource other(67);
    std::vector<Int128> values{1, -2, far_away, 0};
    const std::vector<Int128> before = values;
    add_gaussian(one, values, noise);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_TRUE(values[i] == add_gaussian(other, before[i], noise));
    }
}

TEST(GaussianNoise, HoldsADoubleExactly) {
    for (const double sigma : {0x1p-100, 0.3, 1.0, 0x1.fffffffffffffp0, 3e20, 0x1p100}) {
        const GaussianNoise noise = gaussian_noise(sigma);
        EXPECT_EQ(noise.mantissa >> 63, 1U);
        EXPECT_EQ(noise.mantissa & 0x7ff, 0U);  // 53 bits: the conversion below is exact
        EXPECT_EQ(std::ldexp(static_cast<double>(noise.mantissa), noise.exponent), sigma);
    }
    EXPECT_EQ(gaussian_noise(0x1p24).grid_log2, 0);
    EXPECT_EQ(gaussian_noise(0x1.fp25).grid_log2, 1);
    EXPECT_EQ(gaussian_noise(0.1).grid_log2, 0);
}

TEST(GaussianNoise, RefusesWhatItCannotHold) {
    for (const double sigma : {0.0, -1.0, 0x1p-101, 0x1p101, HUGE_VAL, std::nan("")}) {
        EXPECT_THROW((void)gaussian_noise(sigma), UsageError);
        EXPECT_THROW((void)gaussian_noise_over_sqrt2(sigma, 0), UsageError);
    }
    EXPECT_THROW((void)gaussian_noise(1.0, -1), UsageError);
    EXPECT_THROW((void)gaussian_noise(1.0, 121), UsageError);
}

}  // namespace
}  // namespace dpcov::test
