#include "tables/nearest_names.hpp"

#include <gtest/gtest.h>

namespace dpcov::test {
namespace {

TEST(NearestNames, EditDistance) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", "abc"), 0U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("flaw", "lawn"), 2U);
    EXPECT_EQ(edit_distance("lawn", "flaw"), 2U);
    EXPECT_EQ(edit_distance("bets", "best"), 1U) << "two letters swapped";
    EXPECT_EQ(edit_distance("ab", "ba"), 1U);
}

TEST(NearestNames, ListsTheNearestFirst) {
    const std::vector<std::string> names = {"weight", "age", "page", "income"};
    EXPECT_EQ(nearest_names("age", names, 2), (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(nearest_names("age", names, 9).size(), names.size());
    EXPECT_TRUE(nearest_names("age", {}, 3).empty());
}

TEST(NearestNames, KnowsASlipFromAnotherWord) {
    const std::vector<std::string> names = {"norm-bound", "rho", "record", "columns",
                                            "column-scale"};
    EXPECT_EQ(likely_name("norm-boun", names), "norm-bound");
    EXPECT_EQ(likely_name("normbound", names), "norm-bound");
    EXPECT_EQ(likely_name("RHO", names), "rho");
    EXPECT_EQ(likely_name("rec", names), "record");  // begins no other
    EXPECT_EQ(likely_name("colu", names), "");       // begins two
    EXPECT_EQ(likely_name("frobnicate", names), "");
    EXPECT_EQ(likely_name("", names), "");
    EXPECT_EQ(likely_name("rho", {}), "");
    EXPECT_EQ(likely_name(std::string(1000, 'r'), names), "");
}

}  // namespace
}  // namespace dpcov::test
