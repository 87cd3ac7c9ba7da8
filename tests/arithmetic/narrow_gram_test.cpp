// Grams of few columns, in doubles, against 64-bit integers.
#include "arithmetic/narrow_gram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "arithmetic/digit_gram.hpp"
#include "arithmetic/gram_product.hpp"
#include "arithmetic/triangle.hpp"

namespace dpcov::detail {
namespace {

// Their products are of any size up to 2^40.
std::vector<double> rows_of_integers(std::size_t count, std::size_t d) {
    std::mt19937_64 generator(count * 1000 + d);
    std::uniform_int_distribution<int> integer(-(1 << 20), 1 << 20);
    std::vector<double> rows(count * d);
    std::generate(rows.begin(), rows.end(), [&] { return integer(generator); });
    return rows;
}

double entry_of_integers(std::span<const double> rows, std::size_t d, std::size_t i,
                         std::size_t j) {
    std::int64_t sum = 0;
    for (std::size_t at = 0; at < rows.size(); at += d) {
        sum += static_cast<std::int64_t>(rows[at + i]) * static_cast<std::int64_t>(rows[at + j]);
    }
    return static_cast<double>(sum);
}

class NarrowGramTest : public testing::Test {
protected:
    void SetUp() override {
        if (gram_ == nullptr) {
            GTEST_SKIP() << "this processor has no AVX-512";
        }
    }

    // Writes the Gram of all rows in one half, then takes that of the first half away, and leaves
    // the other half alone.
    void expect_exact(std::size_t count, std::size_t d, unsigned threads = 1) const {
        const std::vector<double> rows = rows_of_integers(count, d);
        const std::span first_rows = std::span(rows).first(count / 2 * d);
        const std::span other_rows = std::span(rows).last(rows.size() - first_rows.size());
        for (const Half half : {Half::upper, Half::lower}) {
            std::vector<double> both(two_triangles(d), NAN);
            const Half other_half = half == Half::upper ? Half::lower : Half::upper;
            const Triangle gram = triangle_in(both.data(), d, half);
            const Triangle other = triangle_in(both.data(), d, other_half);
            gram_(rows, d, 1.0, false, gram, threads);
            gram_(first_rows, d, -1.0, true, gram, threads);
            for (std::size_t j = 0; j < d; ++j) {
                for (std::size_t i = 0; i < d; ++i) {
                    if (half == Half::upper ? i <= j : i >= j) {
                        ASSERT_EQ(gram.data[i + j * gram.stride],
                                  entry_of_integers(other_rows, d, i, j))
                            << d << " columns, entry " << i << ", " << j;
                    }
                    if (half == Half::upper ? i >= j : i <= j) {
                        ASSERT_TRUE(std::isnan(other.data[i + j * other.stride]))
                            << d << " columns, entry " << i << ", " << j;
                    }
                }
            }
        }
    }

    NarrowGram* gram_ = usable_narrow_gram();  // NOLINT(*-non-private-member-*)
};

TEST_F(NarrowGramTest, IsExactWhateverTheColumns) {
    for (std::size_t d = 1; d <= 66; ++d) {
        expect_exact(7, d);
    }
    for (const std::size_t d : {std::size_t{100}, std::size_t{255}, narrow_columns}) {
        expect_exact(5, d);
    }
}

TEST_F(NarrowGramTest, IsExactWhateverTheRows) {
    for (const std::size_t count : {1U, 2U, 3U, 64U}) {
        expect_exact(count, 19);
    }
    expect_exact(5000, 13);  // more than a cache holds
}

TEST_F(NarrowGramTest, IsExactOnSeveralThreads) {
    expect_exact(2200, 250, 3);
    expect_exact(2200, 250, 100);  // more than there are columns to share
}

// All bits of a double are used: an entry of 2^53.
TEST_F(NarrowGramTest, IsExactUpToTheLastBit) {
    const std::vector<double> rows(std::size_t{1} << 13U, 0x1p20);
    double entry = NAN;
    gram_(rows, 1, 1.0, false, {.data = &entry, .stride = 1}, 1);
    EXPECT_EQ(entry, 0x1p53);
    const std::vector<double> one_less(rows.size() / 2 * 3 - 1, 0x1p19 - 1);
    gram_(one_less, 1, 1.0, false, {.data = &entry, .stride = 1}, 1);
    EXPECT_EQ(entry, entry_of_integers(one_less, 1, 0, 0));
}

// What GramProduct takes shows in nothing but time: a stand-in tells of it.
void write_seven(std::span<const double> /*rows*/, std::size_t /*d*/, double /*sign*/,
                 bool /*keep*/, const Triangle& gram, unsigned /*threads*/) noexcept {
    *gram.data = 7.0;
}

TEST(GramProduct, TakesTheNarrowWayForFewColumnsWhereItIsThere) {
    const auto first_entry = [](std::size_t d, NarrowGram* narrow) {
        DigitGram::Memory memory;
        GramProduct product(memory, 2, d, 1, nullptr, narrow);
        std::vector<double> gram(two_triangles(d));
        product.add(std::vector<double>(2 * d, 1.0), 1.0, false,
                    triangle_in(gram.data(), d, Half::upper));
        return gram[0];
    };
    EXPECT_EQ(first_entry(narrow_columns, &write_seven), 7.0);
    EXPECT_EQ(first_entry(narrow_columns + 1, &write_seven), 2.0);
    EXPECT_EQ(first_entry(3, nullptr), 2.0);
}

}  // namespace
}  // namespace dpcov::detail
