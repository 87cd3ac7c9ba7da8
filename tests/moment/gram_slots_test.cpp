// More totals than there is room for in doubles: sums are exact all the same.
#include "moment/gram_slots.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/triangle.hpp"
#include "support/integers_of.hpp"

namespace dpcov::test {
namespace {

std::vector<detail::RoomForGrams> rooms(std::size_t count, std::size_t d) {
    std::vector<detail::RoomForGrams> memory;
    for (std::size_t i = 0; i < count; ++i) {
        memory.push_back(std::make_shared<detail::HugePageVector<double>>());
        memory.back()->reserve(detail::two_triangles(d));
    }
    return memory;
}

TEST(GramSlots, SumExactlyForMoreTotalsThanSlots) {
    constexpr std::size_t d = 3;
    constexpr std::size_t totals = 7;
    constexpr int additions = 300;
    std::mt19937 generator(1);
    std::uniform_int_distribution<int> value(-1000, 1000);
    std::uniform_int_distribution<std::size_t> any(0, totals - 1);
    std::vector<detail::RoomForGrams> memory = rooms(1, d);
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
    slots.finish_and_free(false, 1);
    EXPECT_EQ(sums[0][0], expected[0][0] + 1);
    EXPECT_EQ(memory[0], nullptr);
}

// Of six totals in three rooms the fifth has sums already. The third and the fourth are kept in the
// first room, the sixth in half of the second; a room lasts for as long as one of them does.
TEST(GramSlots, KeepEmptySumsInTheRoomBefore) {
    constexpr std::size_t d = 3;
    constexpr std::size_t totals = 6;
    for (const bool resident : {false, true}) {
        std::vector<detail::RoomForGrams> memory = rooms(3, d);
        std::vector<detail::WideSums> sums(totals);
        for (detail::WideSums& sum : sums) {
            sum.reserve(detail::packed_size(d));
        }
        sums[4].resize(detail::packed_size(d));
        sums[4].add(5, 100);
        detail::DigitGram::Memory digits;
        detail::GramProduct product(digits, 1, d, 1);
        detail::GramSlots slots(memory, d, product);
        for (std::size_t k = 0; k < totals; ++k) {
            slots.add(std::vector<double>{1.0, 10.0, -static_cast<double>(k)}, sums[k], 1, 1);
        }
        const std::vector<std::weak_ptr<void>> held(memory.begin(), memory.end());
        slots.finish_and_free(resident, 1);
        for (std::size_t k = 0; k < totals; ++k) {
            const auto x = static_cast<std::int64_t>(k);
            EXPECT_EQ(integers_of(sums[k]),
                      (detail::PackedGram{1, 10, 100, -x, -10 * x, x * x + (k == 4 ? 100 : 0)}))
                << k;
        }
        EXPECT_EQ(held[0].expired(), resident);
        EXPECT_EQ(held[1].expired(), resident);
        EXPECT_TRUE(held[2].expired());
        sums[2] = {};
        EXPECT_EQ(held[0].expired(), resident);
        sums[3] = {};
        EXPECT_TRUE(held[0].expired());
        sums[5].clear();
        sums[5].resize(detail::packed_size(d));
        EXPECT_EQ(integers_of(sums[5]), detail::PackedGram(6));
    }
}

}  // namespace
}  // namespace dpcov::test
