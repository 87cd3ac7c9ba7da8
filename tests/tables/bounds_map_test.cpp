// A BoundsMap does what map_row() does, bit for bit.
#include "tables/bounds_map.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace dpcov::test {
namespace {

using detail::BoundsMap;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Column random_column(std::mt19937_64& generator) {
    std::uniform_real_distribution<double> uniform(-3.0, 3.0);
    const double lower = uniform(generator);
    Column column{.bounds = ColumnBounds{
                      .lower = lower, .upper = lower + 0.1 + static_cast<double>(generator() % 5)}};
    if (generator() % 2 == 0) {
        column.fill = lower + 0.05;
    }
    if (generator() % 2 == 0) {
        column.missing = {-9.0, 0.0};
    }
    return column;
}

// Values within the bounds and beyond them, on them, missing, codes and infinite ones. Few are
// missing, so that some rows are usable.
double random_value(std::mt19937_64& generator, const Column& column) {
    switch (generator() % 40) {
        case 0:
            return nan;
        case 1:
            return -9.0;
        case 2:
            return generator() % 2 == 0 ? 0.0 : -0.0;
        case 3:
            return infinity;
        case 4:
            return -infinity;
        case 5:
            return column.bounds->lower;
        case 6:
            return column.bounds->upper;
        default:
            return std::uniform_real_distribution<double>(-5.0, 9.0)(generator);
    }
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
    std::vector<std::uint64_t> bits;
    for (const double value : values) {
        bits.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return bits;
}

TEST(BoundsMap, DoesWhatMapRowDoes) {
    std::mt19937_64 generator(7);
    int usable_rows = 0;
    int others = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        Schema schema(1 + generator() % 20);
        std::vector<double> row;
        for (Column& column : schema) {
            column = random_column(generator);
            row.push_back(random_value(generator, column));
        }
        const std::optional<BoundsMap> map = BoundsMap::of(schema);
        ASSERT_TRUE(map);
        std::vector<double> expected = row;
        const bool usable = map_row(schema, expected);
        const std::vector<double> given = row;
        EXPECT_EQ(map->map(row), usable);
        EXPECT_EQ(bits_of(row), bits_of(usable ? expected : given));
        ++(usable ? usable_rows : others);
    }
    EXPECT_GT(usable_rows, 5'000);
    EXPECT_GT(others, 2'000);
}

TEST(BoundsMap, IsOfColumnsThatAllHaveBounds) {
    const Column bounded{.bounds = ColumnBounds{.lower = 0.0, .upper = 1.0}};
    EXPECT_TRUE(BoundsMap::of({bounded, bounded}));
    EXPECT_FALSE(BoundsMap::of({bounded, Column{}}));
    EXPECT_FALSE(BoundsMap::of({}));
}

}  // namespace
}  // namespace dpcov::test
