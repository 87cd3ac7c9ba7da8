// More totals than there is room for in doubles: sums are exact all the same.
#include "moment/gram_slots.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/triangle.hpp"
#include "support/integers_of.hpp"

namespace dpcov::test {
namespace {

TEST(GramSlots, SumExactlyForMoreTotalsThanSlots) {
    constexpr std::size_t d = 3;
    constexpr std::size_t totals = 7;
    constexpr int additions = 300;
    std::mt19937 generator(1);
    std::uniform_int_distribution<int> value(-1000, 1000);
    std::uniform_int_distribution<std::size_t> any(0, totals - 1);
    std::vector<detail::HugePageVector<double>> memory(1);
    for (detail::HugePageVector<double>& room : memory) {
        room.reserve(detail::two_triangles(d));
    }
    const detail::PackedGram zero(d * (d + 1) / 2);
    std::vector<detail::PackedGram> expected(totals, zero);
    std::vector<detail::WideSums> sums(totals);
    for (detail::WideSums& sum : sums) {
        sum.resize(zero.size());
    }
    const auto found = [&sums] {
        std::vector<detail::PackedGram> integers;
        for (const detail::WideSums& sum : sums) {
            integers.push_back(integers_of(sum));
        }
        return integers;
    };
    detail::DigitGram::Memory digits;
    detail::GramProduct product(digits, 1, d, 1);
    detail::GramSlots slots(memory, d, product);
    for (int i = 0; i < additions; ++i) {
        const std::vector<double> row = {1.0 * value(generator), 1.0 * value(generator),
                                         1.0 * value(generator)};
        const std::size_t total = any(generator);
        const int sign = i % 3 == 0 ? -1 : 1;
        slots.add(row, sums[total], 1, sign);
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t k = 0; k <= j; ++k) {
                expected[total][j * (j + 1) / 2 + k] +=
                    static_cast<std::int64_t>(sign * row[j] * row[k]);
            }
        }
    }
    EXPECT_NE(found(), expected);  // two of them are still in doubles
    slots.finish(1);
    EXPECT_EQ(found(), expected);
    const std::vector<double> row = {1.0, 2.0, 3.0};
    slots.add(row, sums[0], 1, 1);
    slots.finish_and_free(1);
    EXPECT_EQ(sums[0][0], expected[0][0] + 1);
    for (const detail::HugePageVector<double>& room : memory) {
        EXPECT_EQ(room.capacity(), 0U);
    }
}

}  // namespace
}  // namespace dpcov::test
