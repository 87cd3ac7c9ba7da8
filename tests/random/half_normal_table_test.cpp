// The envelope's table against an independent computation.
#include "random/half_normal_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "arithmetic/real.hpp"

namespace dpcov::test {
namespace {

using detail::HalfNormalTable;
using detail::Real;

constexpr unsigned share_bits = 64 - HalfNormalTable::columns_log2;

const HalfNormalTable& table() {
    return HalfNormalTable::instance();
}

/// result = A exp(-(k / 256)^2 / 2) at 300 bits, to the nearest.
void bell(Real& result, unsigned long k) {
    mpfr_set_ui(result, k, MPFR_RNDN);
    mpfr_div_ui(result, result, 256, MPFR_RNDN);
    mpfr_mul(result, result, result, MPFR_RNDN);
    mpfr_div_si(result, result, -2, MPFR_RNDN);
    mpfr_exp(result, result, MPFR_RNDN);
    mpfr_mul_ui(result, result, table().amplitude(), MPFR_RNDN);
}

TEST(HalfNormalTable, StandsOnOrAboveTheBellAndCloseToIt) {
    Real value(300);
    for (std::size_t k = 0; k < HalfNormalTable::columns; ++k) {
        bell(value, k);
        const std::uint64_t height = table().height(k);
        EXPECT_LE(mpfr_cmp_ui(value, height), 0) << k;
        mpfr_ui_sub(value, height, value, MPFR_RNDN);
        EXPECT_LE(mpfr_get_d(value, MPFR_RNDN), k == 0 ? 4096.0 : 1.0) << k;
    }
}

// The tail's block j has height 2^-j: the bell falls by more than half over each unit from 8 on.
TEST(HalfNormalTable, TailDecaysSlowerThanTheBell) {
    Real value(300);
    Real block(300);
    for (unsigned long j = 0; j < 60; ++j) {
        bell(value, HalfNormalTable::tail + 256 * j);
        mpfr_set_ui_2exp(block, table().height(HalfNormalTable::tail), -static_cast<long>(j),
                         MPFR_RNDN);
        EXPECT_TRUE(mpfr_lessequal_p(value, block)) << j;
    }
}

TEST(HalfNormalTable, SqueezeIsBelowTheLowestPointOfTheCellAndTight) {
    Real ratio(300);
    for (std::size_t k = 0; k < HalfNormalTable::tail; ++k) {
        bell(ratio, k + 1);
        mpfr_div_ui(ratio, ratio, table().height(k), MPFR_RNDN);
        mpfr_mul_2ui(ratio, ratio, HalfNormalTable::squeeze_bits, MPFR_RNDN);
        const std::uint64_t bound = mpfr_get_ui(ratio, MPFR_RNDD);
        EXPECT_TRUE(table().surely_accepted(k, bound - 1)) << k;
        EXPECT_FALSE(table().surely_accepted(k, bound)) << k;
    }
    EXPECT_FALSE(table().surely_accepted(HalfNormalTable::tail, 0));
}

// Adds up, over all 2^64 words, how many pick each cell: the boundary inside a column by bisection.
TEST(HalfNormalTable, EveryCellIsPickedByExactlyAsManyWordsAsItsArea) {
    std::vector<std::uint64_t> words(HalfNormalTable::columns);
    for (std::uint64_t column = 0; column < HalfNormalTable::columns; ++column) {
        const auto pick = [&](std::uint64_t fraction) {
            return table().pick(column << share_bits | fraction);
        };
        const std::uint64_t area = std::uint64_t{1} << share_bits;
        const std::size_t last = pick(area - 1);
        std::uint64_t low = 0;  // the first fraction that picks `last`
        std::uint64_t high = area - 1;
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (pick(middle) == last) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        words[last] += area - low;
        if (low > 0) words[pick(0)] += low;
    }
    std::uint64_t total = 0;
    for (std::size_t k = 0; k < HalfNormalTable::columns; ++k) {
        const std::uint64_t blocks = k == HalfNormalTable::tail ? 512 : 1;
        EXPECT_EQ(words[k], table().height(k) * blocks) << k;
        total += words[k];
    }
    EXPECT_EQ(total, 0U);  // 2^64
}

}  // namespace
}  // namespace dpcov::test
