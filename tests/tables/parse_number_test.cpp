#include "tables/parse_number.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace dpcov::test {
namespace {

TEST(ParseNumber, ReadsNumbers) {
    for (const auto& [text, value] :
         {std::pair<std::string, double>{"0", 0.0},
          {"-0", -0.0},
          {"12", 12.0},
          {"+12", 12.0},
          {" \t1.5\t ", 1.5},
          {".5", 0.5},
          {"5.", 5.0},
          {"-1e-3", -1e-3},
          {"1E+3", 1e3},
          {"0.1", 0.1},
          {"5e-324", std::numeric_limits<double>::denorm_min()},
          {"1.7976931348623157e308", std::numeric_limits<double>::max()},
          // Halfway between two doubles, and a little more.
          {"9007199254740993", 9007199254740992.0},
          {"9007199254740993.0000000000000000001", 9007199254740994.0}}) {
        const ParsedNumber number = parse_number(text);
        EXPECT_FALSE(number.problem.has_value()) << text;
        EXPECT_EQ(number.value, value) << text;
        EXPECT_EQ(std::signbit(number.value), std::signbit(value)) << text;
    }
    EXPECT_TRUE(std::isnan(parse_number("NaN").value));
    EXPECT_TRUE(std::isinf(parse_number("-Inf").value));
}

TEST(ParseNumber, SaysWhyTextIsNone) {
    for (const std::string text : {"", " ", "\t", "NA", "n/a", " null ", "None", "?", "."}) {
        EXPECT_EQ(parse_number(text).problem, DataProblem::missing) << text;
    }
    for (const std::string text : {"x", "1x", "1 2", "1,5", "+", "-", "++1", "+-1", "-+1", "0x10",
                                   "1e", "e5", "1_000", "$1", "1\n", "\302\2401", "nax"}) {
        EXPECT_EQ(parse_number(text).problem, DataProblem::unreadable) << text;
    }
    EXPECT_EQ(parse_number(std::string("1\0", 2)).problem, DataProblem::unreadable);
    for (const std::string text :
         {"1e309", "-1e999999999999999999999", "+1E+400", "0.00001e320", "123456e304"}) {
        EXPECT_EQ(parse_number(text).problem, DataProblem::out_of_range) << text;
    }
    EXPECT_EQ(parse_number("1" + std::string(400, '0')).problem, DataProblem::out_of_range);
}

TEST(ParseNumber, OfWhatIsNearlyZeroIsZero) {
    for (const std::string text : {"1e-400", "-1e-400", "+3E-999999999999999999999", "0.001e-330",
                                   "-12345.6e-340", ".1e-340"}) {
        const ParsedNumber number = parse_number(text);
        EXPECT_FALSE(number.problem) << text;
        EXPECT_EQ(number.value, 0.0) << text;
        EXPECT_EQ(std::signbit(number.value), text[0] == '-') << text;
    }
    EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1").value, 0.0);
    EXPECT_GT(parse_number("5e-324").value, 0.0);
}

}  // namespace
}  // namespace dpcov::test
