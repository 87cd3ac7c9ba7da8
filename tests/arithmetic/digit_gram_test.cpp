// Grams by 8-bit digits against 64-bit integers: every kernel that is here, and a plain one that is
// everywhere.
#include "arithmetic/digit_gram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/exact_gram.hpp"

namespace dpcov::detail {
namespace {

using Values = std::vector<double>;

void prepare_plain(const DigitPanels& /*rows*/, std::size_t panel, std::int8_t* prepared) noexcept {
    std::memcpy(prepared, &panel, sizeof panel);
}

std::int32_t digit_at(const DigitPanels& rows, std::size_t panel, std::size_t column,
                      std::size_t digit, std::size_t row) {
    const std::size_t columns = DigitPanels::panel_columns;
    return rows.tile(panel + column / columns,
                     digit)[row / 4 * 4 * columns + column % columns * 4 + row % 4];
}

void products_plain(const DigitPanels& rows, const std::int8_t* prepared, std::size_t second_panel,
                    std::int32_t* sums) noexcept {
    std::size_t panel = 0;
    std::memcpy(&panel, prepared, sizeof panel);
    std::fill_n(sums, (2 * rows.digits() - 1) * sums_of_weight, 0);
    for (std::size_t a = 0; a < rows.digits(); ++a) {
        for (std::size_t b = 0; b < rows.digits(); ++b) {
            for (std::size_t i = 0; i < sums_of_weight; ++i) {
                for (std::size_t row = 0; row < rows.tiles() * DigitPanels::tile_rows; ++row) {
                    sums[(a + b) * sums_of_weight + i] +=
                        digit_at(rows, panel, i / kernel_columns, a, row) *
                        digit_at(rows, second_panel, i % kernel_columns, b, row);
                }
            }
        }
    }
}

// What processors without exact instructions do: sums of two products are kept to 16 bits.
void products_saturated(const DigitPanels& rows, const std::int8_t* prepared,
                        std::size_t second_panel, std::int32_t* sums) noexcept {
    products_plain(rows, prepared, second_panel, sums);
    sums[0] = std::clamp(sums[0], -32768, 32767);
}

constexpr DigitKernel plain = {.prepare = &prepare_plain, .products = &products_plain};

std::vector<std::pair<std::string, const DigitKernel*>> kernels() {
    std::vector<std::pair<std::string, const DigitKernel*>> all = {{"plain", &plain}};
    if (amx_digit_kernel() != nullptr) {
        all.emplace_back("amx", amx_digit_kernel());
    }
    if (vnni_digit_kernel() != nullptr) {
        all.emplace_back("vnni", vnni_digit_kernel());
    }
    return all;
}

// Multiples of `unit`, at most so many of them.
Values random_rows(std::size_t count, std::size_t d, double unit, int largest) {
    std::mt19937_64 generator(count * 1000 + d);
    std::uniform_int_distribution<int> multiple(-largest, largest);
    Values rows(count * d);
    std::generate(rows.begin(), rows.end(), [&] { return unit * multiple(generator); });
    return rows;
}

// The upper triangle, zeros below.
Values gram_of_integers(const Values& rows, std::size_t d) {
    Values gram(d * d);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            std::int64_t sum = 0;
            for (std::size_t at = 0; at < rows.size(); at += d) {
                sum += static_cast<std::int64_t>(rows[at + i]) *
                       static_cast<std::int64_t>(rows[at + j]);
            }
            gram[j * d + i] = static_cast<double>(sum);
        }
    }
    return gram;
}

Values digit_gram(const DigitKernel& kernel, const Values& rows, std::size_t d,
                  unsigned threads = 1) {
    DigitGram::Memory memory;
    DigitGram sum(kernel, memory, rows.size() / d, d, threads);
    Values both(two_triangles(d), NAN);  // what was there before
    const Triangle lower = triangle_in(both.data(), d, Half::lower);
    sum.add(rows, digit_form(rows, d), 1.0, false, lower);
    sum.add(rows, digit_form(rows, d), 1.0, false, triangle_in(both.data(), d, Half::upper));
    Values gram(d * d);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            gram[j * d + i] = both[j * (d + 1) + i];
            EXPECT_EQ(lower.data[i * lower.stride + j], gram[j * d + i]) << i << ' ' << j;
        }
    }
    return gram;
}

TEST(DigitGram, EqualsIntegersForAnyShape) {
    for (const auto& [name, kernel] : kernels()) {
        for (const std::size_t d : {1U, 2U, 15U, 16U, 17U, 31U, 32U, 33U, 65U}) {
            for (const std::size_t count : {1U, 3U, 4U, 5U, 63U, 64U, 65U, 130U}) {
                for (const int largest : {127, 32639, 1 << 20}) {
                    if (kernel == &plain && d * count > 1000) {
                        continue;
                    }
                    const Values rows = random_rows(count, d, 1.0, largest);
                    EXPECT_EQ(digit_gram(*kernel, rows, d), gram_of_integers(rows, d))
                        << name << ", " << count << " x " << d << ", up to " << largest;
                }
            }
        }
    }
}

// The most rows that are added at a time, with digits as large as they get: 950144 has the digits
// -128, -128 and 15.
TEST(DigitGram, EqualsIntegersAtTheLimits) {
    for (const auto& [name, kernel] : kernels()) {
        for (const double value : {-0x1p20, 0x1p20, 950144.0, -950144.0, 127.0, -127.0, 128.0,
                                   -128.0, 32639.0, -32639.0, 32640.0, -32896.0}) {
            const std::size_t count = kernel == &plain ? 512 : exact_gram_rows;
            const Values rows(count, value);
            EXPECT_EQ(digit_gram(*kernel, rows, 1), gram_of_integers(rows, 1))
                << name << ' ' << value;
            // With another digit in between, so that no divisor is left.
            Values others = rows;
            others[1] = value - 1.0;
            EXPECT_EQ(digit_gram(*kernel, others, 1), gram_of_integers(others, 1))
                << name << ' ' << value;
        }
    }
}

// Eight bits without a sign, or with the zero anywhere, are one digit beside an offset.
TEST(DigitGram, EqualsIntegersBesideAnOffset) {
    struct Range {
        int least;
        int greatest;
        double offset;
    };
    constexpr std::size_t d = 35;
    for (const auto& [name, kernel] : kernels()) {
        for (const auto& [least, greatest, offset] :
             {Range{0, 255, 128.0}, {0, 254, 127.0}, {-255, 0, -127.0}, {-55, 200, 73.0}}) {
            for (const double unit : {1.0, 584.0}) {
                std::mt19937_64 generator(7);
                std::uniform_int_distribution<int> multiple(least, greatest);
                Values rows(70 * d);
                std::generate(rows.begin(), rows.end(), [&] { return unit * multiple(generator); });
                rows[3] = unit * least;
                rows[4] = unit * greatest;
                const DigitForm form = digit_form(rows, d);
                EXPECT_EQ(form.divisor, unit);
                EXPECT_EQ(form.digits, 1U);
                EXPECT_EQ(form.offset, offset);
                for (const unsigned threads : {1U, 3U}) {
                    EXPECT_EQ(digit_gram(*kernel, rows, d, threads), gram_of_integers(rows, d))
                        << name << ' ' << least;
                }
            }
            // As many as are added at a time, of the longest.
            const std::size_t count = kernel == &plain ? 512 : exact_gram_rows;
            const double greatest_unit = std::floor(0x1p20 / std::max(greatest, -least));
            Values longest(count, greatest_unit * (greatest > -least ? greatest : least));
            EXPECT_EQ(digit_gram(*kernel, longest, 1), gram_of_integers(longest, 1)) << name;
            longest[0] = greatest_unit;  // else it would be the divisor
            EXPECT_EQ(digit_gram(*kernel, longest, 1), gram_of_integers(longest, 1)) << name;
        }
    }
}

TEST(DigitGram, AddsAndTakesAway) {
    constexpr std::size_t d = 40;
    const Values rows = random_rows(100, d, 6.0, 20000);
    const Values first(rows.begin(), rows.begin() + 60 * d);
    const Values rest(rows.begin() + 60 * d, rows.end());
    const Values pixels(20 * d, 255.0);
    for (const auto& [name, kernel] : kernels()) {
        DigitGram::Memory memory;
        DigitGram sum(*kernel, memory, 100, d, 1);
        Values sums(d * d);
        const Triangle gram{.data = sums.data(), .stride = d};
        sum.add(rows, digit_form(rows, d), 1.0, false, gram);
        sum.add(first, digit_form(first, d), -1.0, true, gram);
        EXPECT_EQ(sums, gram_of_integers(rest, d)) << name;
        sum.add(pixels, {.digits = 1, .offset = 128.0}, 1.0, true, gram);
        sum.add(pixels, {.digits = 2}, -1.0, true, gram);
        EXPECT_EQ(sums, gram_of_integers(rest, d)) << name;
    }
}

TEST(DigitGram, IsTheSameOnAnyNumberOfThreads) {
    constexpr std::size_t d = 150;
    const Values rows = random_rows(200, d, 1.0, 1 << 20);
    for (const auto& [name, kernel] : kernels()) {
        if (kernel != &plain) {
            for (const unsigned threads : {1U, 2U, 3U, 7U}) {
                EXPECT_EQ(digit_gram(*kernel, rows, d, threads), gram_of_integers(rows, d)) << name;
            }
        }
    }
}

TEST(DigitForm, FindsWhatDividesAllRows) {
    const auto form = [](const Values& rows, std::size_t d) {
        const DigitForm found = digit_form(rows, d);
        return std::pair(found.divisor, found.digits);
    };
    using Form = std::pair<double, std::size_t>;
    EXPECT_EQ(form({0.0, 0.0, 0.0, 0.0}, 2), Form(1.0, 1));
    EXPECT_EQ(form({0.0, 0.0, 74898.0, -149796.0}, 2), Form(74898.0, 1));
    EXPECT_EQ(form({0.0, 255.0 * 4111}, 2), Form(255.0 * 4111, 1));
    EXPECT_EQ(form({4111.0, 255.0 * 4111}, 2), Form(4111.0, 1));
    EXPECT_EQ(form({-4111.0, 255.0 * 4111}, 2), Form(4111.0, 2));
    // The first row has a greater divisor than all.
    EXPECT_EQ(form({8222.0, 0.0, 4111.0, 4111.0 * 2000}, 2), Form(4111.0, 2));
    // No digit is saved: 7 divides them, and three digits they have.
    EXPECT_EQ(form({7.0, 7.0 * 100000}, 2), Form(1.0, 3));
    EXPECT_EQ(form({5.0, -127.0}, 2), Form(1.0, 1));
    EXPECT_EQ(form({5.0, 128.0}, 1), Form(1.0, 1));
    EXPECT_EQ(form({5.0, 256.0}, 1), Form(1.0, 2));
    EXPECT_EQ(form({-127.0, 129.0}, 1), Form(1.0, 2));
    // Found where registers end, too.
    Values rows(19, 40000.0);
    EXPECT_EQ(form(rows, 19), Form(40000.0, 1));
    rows[18] = 40001.0;
    EXPECT_EQ(form(rows, 19), Form(1.0, 3));
    EXPECT_EQ(form(rows, 1), Form(1.0, 3));
}

// Indicators and pixels need one digit, differences of pixels two, whatever the norm bound and the
// stratum.
TEST(DigitForm, OfDataOfFewBits) {
    Values rows = random_rows(50, 7, 1.0, 1);
    for (double& x : rows) {
        x *= 396332.0;  // 2^20 / sqrt(7), rounded
    }
    EXPECT_EQ(digit_form(rows, 7).digits, 1U);
    EXPECT_EQ(digit_form(random_rows(50, 7, 146.0 * 4, 255), 7).digits, 2U);
    EXPECT_EQ(digit_form(random_rows(50, 7, 1.0, 255 * 146 * 4), 7).digits, 3U);
}

// Controls: the check at the start, and the comparison of these tests, refuse a kernel that is
// wrong in one sum.
TEST(DigitGram, AWrongKernelIsRefused) {
    EXPECT_TRUE(is_exact(plain));
    for (const auto& [name, kernel] : kernels()) {
        EXPECT_TRUE(is_exact(*kernel)) << name;
    }
    constexpr DigitKernel wrong = {.prepare = &prepare_plain, .products = &products_saturated};
    EXPECT_FALSE(is_exact(wrong));
    const Values rows = random_rows(65, 1, 1.0, 127);
    EXPECT_NE(digit_gram(wrong, rows, 1), gram_of_integers(rows, 1));
}

TEST(GramProduct, GivesTheSameByEitherWay) {
    constexpr std::size_t d = 33;
    constexpr std::size_t count = 70;  // enough for digits
    DigitGram::Memory memory;
    GramProduct product(memory, count, d, 1, kernels().back().second);
    Values gram(d * d);
    Values all;
    for (int turn = 0; turn < 20; ++turn) {  // both ways are tried, and one of them is kept
        const Values rows = random_rows(count, d, 1.0, turn % 2 == 0 ? 100 : 1 << 18);
        product.add(rows, 1.0, turn > 0, {.data = gram.data(), .stride = d});
        all.insert(all.end(), rows.begin(), rows.end());
    }
    EXPECT_EQ(gram, gram_of_integers(all, d));
}

}  // namespace
}  // namespace dpcov::detail
