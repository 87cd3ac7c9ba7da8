// The columns up to which sums are resident whatever the rows are, as docs/cli.md and
// docs/threat-model.md tell them.
#include "moment/memory_need.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "dpcov/second_moment.hpp"
#include "moment/norm_bins.hpp"

namespace dpcov::detail {
namespace {

bool is_resident(std::size_t columns, bool keep_directions, const NormBins& bins) {
    const MomentLayout layout{columns, 1.0, keep_directions};
    return memory_need(layout, bins).sums_are_resident();
}

TEST(MemoryNeed, IsResidentUpToTheColumnsThatThePagesTell) {
    struct Limit {
        std::size_t columns;
        bool keep_directions;
        bool whole_octaves;
    };
    for (const auto& [columns, keep, octaves] : {Limit{340, false, false}, Limit{285, true, false},
                                                 Limit{527, false, true}, Limit{373, true, true}}) {
        const NormBins bins =
            octaves ? NormBins::whole_octaves() : NormBins::for_columns(columns + 1);
        EXPECT_TRUE(is_resident(columns, keep, bins)) << columns;
        EXPECT_FALSE(is_resident(columns + 1, keep, bins)) << columns;
    }
}

// Two Grams in each room: 40 bins of few columns, 16 of many, and as many more for directions.
TEST(MemoryNeed, HasRoomForGramsTwoByTwo) {
    const NormBins bins = NormBins::whole_octaves();
    const auto rooms = [&](std::size_t columns, bool keep_directions) {
        return rooms_for_two_grams({columns, 1.0, keep_directions}, bins);
    };
    EXPECT_EQ(rooms(10, false), 20U);
    EXPECT_EQ(rooms(10, true), 40U);
    EXPECT_EQ(rooms(5000, false), 16U);
    EXPECT_EQ(rooms(5000, true), 32U);
}

}  // namespace
}  // namespace dpcov::detail
