#include "tables/text_problems.hpp"

#include <gtest/gtest.h>

namespace dpcov::test {
namespace {

TEST(TextProblems, KnowsSemicolons) {
    for (const char* const row : {"1,5;2,5", "1;2", "1.5;x", "a;b;c", "1,5;;2,5", "1,5; NA"}) {
        EXPECT_TRUE(looks_semicolon_separated(row, ',')) << row;
    }
    for (const char* const row : {"1,2", "1,x;y,2", "1,5;text,2", ""}) {
        EXPECT_FALSE(looks_semicolon_separated(row, ',')) << row;
    }
    EXPECT_FALSE(looks_semicolon_separated("1;2", ';'));
}

TEST(TextProblems, KnowsThousands) {
    for (const char* const field : {"1,234", "-12,345", " 1,234,567.5 ", "123,456."}) {
        EXPECT_TRUE(has_thousands_commas(field)) << field;
    }
    for (const char* const field : {"1234", "1,23", "1234,567", ",234", "1,2345", "a,bcd", ""}) {
        EXPECT_FALSE(has_thousands_commas(field)) << field;
    }
    EXPECT_TRUE(thousands_explain("1,234,5", ',', 3, 2));
    EXPECT_TRUE(thousands_explain("7,1,234,567,5", ',', 5, 3));
    EXPECT_FALSE(thousands_explain("1,23,5", ',', 3, 2));
    EXPECT_FALSE(thousands_explain("1,234,5", ',', 3, 1));
    EXPECT_FALSE(thousands_explain("1,234", ',', 2, 3));
    EXPECT_FALSE(thousands_explain("1;234;5", ';', 3, 2));
}

}  // namespace
}  // namespace dpcov::test
