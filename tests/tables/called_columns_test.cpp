// Which column is meant, for tables and for releases.
#include "tables/called_columns.hpp"

#include <gtest/gtest.h>

namespace dpcov::test {
namespace {

using Problem = CalledColumn::Problem;

void expect_place(const CalledColumn& called, std::size_t place) {
    EXPECT_EQ(called.problem, Problem::none);
    EXPECT_EQ(called.place, place);
}

TEST(CalledColumns, ANameWinsOverAnIndex) {
    const CalledColumns columns({"b", "a", "0", "b", ""}, 5);
    expect_place(columns.find("a"), 1);
    expect_place(columns.find("0"), 2);
    expect_place(columns.find("1"), 1);
    expect_place(columns.find("4"), 4);
    expect_place(columns.find(""), 4);
    EXPECT_EQ(columns.find("b").problem, Problem::several);
    EXPECT_EQ(columns.find("5").problem, Problem::beyond);
    EXPECT_EQ(columns.find("99999999999999999999999").problem, Problem::beyond);
    EXPECT_EQ(columns.find("c").problem, Problem::unknown);
    EXPECT_EQ(columns.find("-1").problem, Problem::unknown);
}

TEST(CalledColumns, TellWhetherByNameOrByIndex) {
    const CalledColumns columns({"b", "a", "0"}, 3);
    EXPECT_FALSE(columns.find("a").by_index);
    EXPECT_FALSE(columns.find("0").by_index);
    EXPECT_TRUE(columns.find("1").by_index);
}

TEST(CalledColumns, TextThatMayBeNoIndexIsAName) {
    const CalledColumns columns({"a", "7"}, 2);
    EXPECT_EQ(columns.find("1", false).problem, Problem::unknown);
    expect_place(columns.find("7", false), 1);
    EXPECT_EQ(CalledColumns({}, 2).find("1", false).problem, Problem::nameless);
    EXPECT_EQ(CalledColumns({}, 2).find("a").problem, Problem::nameless);
    expect_place(CalledColumns({}, 2).find("1"), 1);
}

TEST(CalledColumns, OfAReleaseAreNotCountedOnceMoreWhereIndicesCallThem) {
    const Schema by_index = {{.name = "3"}, {.name = "1"}};
    const auto moved = CalledColumns::released(by_index, 2);
    expect_place(moved.find("1"), 1);
    EXPECT_EQ(moved.find("0").problem, Problem::unknown);
    const Schema indicators = {{.name = "3=a"}, {.name = "1"}};
    EXPECT_EQ(CalledColumns::released(indicators, 2).find("0").problem, Problem::unknown);
    const auto nameless = CalledColumns::released({}, 2);
    expect_place(nameless.find("1"), 1);
    EXPECT_EQ(nameless.find("2").problem, Problem::unknown);
    const Schema half = {{.name = "age"}, {}};
    const auto counted = CalledColumns::released(half, 2);
    EXPECT_EQ(counted.names(), (std::vector<std::string>{"age", "1"}));
    expect_place(counted.find("0"), 0);
}

// Results name a column as a whole: their names are not divided.
TEST(CalledColumns, MayHaveIndicatorsWhereATableIsAsked) {
    const CalledColumns columns({"b", "a", "a=b"}, 3);
    EXPECT_EQ(columns.find("a=c").problem, Problem::unknown);
    expect_place(columns.find_or_indicator("a=c"), 1);
    EXPECT_EQ(columns.find_or_indicator("a=c").value, "c");
    EXPECT_FALSE(columns.find_or_indicator("a=c").by_index);
    for (const char* column : {"a=b", "a = b"}) {
        expect_place(columns.find_or_indicator(column), 2);
        EXPECT_FALSE(columns.find_or_indicator(column).value);
    }
    expect_place(columns.find_or_indicator("a = b = c"), 1);
    EXPECT_EQ(columns.find_or_indicator("a=b= c=d ").value, "c=d");
    EXPECT_TRUE(columns.find_or_indicator("0=").by_index);
    EXPECT_EQ(columns.find_or_indicator("0=").value, "");
    EXPECT_EQ(columns.find_or_indicator("3=x").problem, Problem::beyond);
    EXPECT_EQ(columns.find_or_indicator("c=x").problem, Problem::unknown);
    EXPECT_EQ(columns.find_or_indicator("=x").problem, Problem::unknown);
    EXPECT_EQ(CalledColumns({"", "a"}, 2).find_or_indicator("=x").problem, Problem::unknown);
    EXPECT_EQ(CalledColumns({"a", "a"}, 2).find_or_indicator("a=x").problem, Problem::several);
}

TEST(CalledColumns, MayHaveIndicatorsByNameAlone) {
    const CalledColumns columns({"a", "7", "1=b"}, 3);
    EXPECT_EQ(columns.find_or_indicator("1=x", false).problem, Problem::unknown);
    EXPECT_EQ(columns.find_or_indicator("3=x", false).problem, Problem::unknown);
    EXPECT_EQ(columns.find_or_indicator("1", false).problem, Problem::unknown);
    expect_place(columns.find_or_indicator("7=x", false), 1);
    EXPECT_EQ(columns.find_or_indicator("7=x", false).value, "x");
    expect_place(columns.find_or_indicator("1=b", false), 2);
    EXPECT_EQ(CalledColumns({}, 2).find_or_indicator("1=x", false).problem, Problem::nameless);
}

TEST(CalledColumns, TellsWhatThereIsInsteadOfAnIndicator) {
    const CalledColumns columns({"age", "region", "a=b"}, 3);
    EXPECT_EQ(columns.instead_of_indicator("regoin = x=y"),
              ", and none 'regoin' that may have such a value" + columns.instead_of("regoin"));
    for (const char* whole : {"regoin", " regoin ", "a=c", "=zzzzzz"}) {
        EXPECT_EQ(columns.instead_of_indicator(whole), columns.instead_of(whole)) << whole;
    }
}

TEST(CalledColumns, TellsWhatThereIsInstead) {
    const CalledColumns columns({"weight", "age", "income"}, 3);
    EXPECT_EQ(columns.instead_of("agee"),
              "; did you mean 'age'? There are 'age', 'weight', 'income'");
    EXPECT_EQ(columns.instead_of("zzzzzzzz"), "; there are 'weight', 'age', 'income'");
    const CalledColumns many(std::vector<std::string>(12, "x"), 12);
    EXPECT_TRUE(many.instead_of("yyyy").ends_with("'x' and 2 more"));
    const CalledColumns with_commas({"age", "rent, cold, a month"}, 2);
    for (const char* piece : {"rent", "cold", "a month"}) {
        EXPECT_TRUE(with_commas.instead_of(piece).ends_with(
            ". A comma divides a list: call 'rent, cold, a month' by its index, 1"))
            << piece;
    }
    EXPECT_TRUE(with_commas.instead_of("warm").ends_with("'rent, cold, a month'"));
}

}  // namespace
}  // namespace dpcov::test
