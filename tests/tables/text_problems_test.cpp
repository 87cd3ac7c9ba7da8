#include "tables/text_problems.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace dpcov::test {
namespace {

TEST(TextProblems, KnowsAnotherDelimiter) {
    for (const char* const row : {"1,5;2,5", "1;2", "1.5;x", "a;b;c", "1,5;;2,5", "1,5; NA",
                                  "Nr;Age;Wage, net", "\"Nr\";\"Age\"", "1;30;1.234,50"}) {
        EXPECT_EQ(other_delimiter(row, ','), ';') << row;
    }
    EXPECT_EQ(other_delimiter("a\tb", ','), '\t');
    EXPECT_EQ(other_delimiter("a|b", '\t'), '|');
    EXPECT_EQ(other_delimiter("Nr|Age|Wage, net", ','), '|');
    for (const char* const row :
         {"1,2", "1,x;y,2", "1,5;text,2", "a,b;c;d", "\"a;b\"", "", "\t1"}) {
        EXPECT_EQ(other_delimiter(row, ','), std::nullopt) << row;
    }
    EXPECT_EQ(other_delimiter("1;2", ';'), std::nullopt);
}

TEST(TextProblems, KnowsTheLineThatTellsExcelTheDelimiter) {
    for (const char* const line : {"sep=;", "SEP=,", "sep=", "\"sep=;\"", "sep=\t", "sep=;;;"}) {
        EXPECT_TRUE(is_separator_line(line)) << line;
    }
    for (const char* const line : {"sep", "sep=x", "separator", "1;sep=;", ""}) {
        EXPECT_FALSE(is_separator_line(line)) << line;
    }
}

TEST(TextProblems, TellsFieldsThatAreNoNumbersApart) {
    const auto expect_all = [](const std::vector<const char*>& fields, DataProblem problem) {
        for (const char* const field : fields) {
            EXPECT_EQ(problem_of_field(field), problem) << field;
        }
    };
    expect_all({"1.234,50 EUR", "$1,234.50", "1 234 %"}, DataProblem::thousands);
    expect_all({"5 %", "5%", "-2,5 %", "5\xc2\xa0%"}, DataProblem::percent);
    expect_all({"5 kg", "12EUR", "\xe2\x82\xac 5", "$5.50", "<5", "65+", "5-", "(5)"},
               DataProblem::unit);
    expect_all({"-", "n.a.", "#N/A", "Missing", " .. "}, DataProblem::missing_word);
    expect_all({"female", "Z80", "2020-01-31", "01.02.2020", "12:30", "0x77", "7 7", "1.", "18-29",
                "3 rooms and a kitchen"},
               DataProblem::unreadable);
}

TEST(TextProblems, KnowsThousands) {
    for (const char* const field :
         {"1,234", "-12,345", " 1,234,567.5 ", "123,456.", "1.234,50", "1.234.567", "1 234",
          "1'234.5", "1\xe2\x80\x99\x32\x33\x34", "1\xc2\xa0\x32\x33\x34,5",
          "1\xe2\x80\xaf\x32\x33\x34", "1\xa0\x32\x33\x34", "1_234_567"}) {
        EXPECT_TRUE(has_thousands_separators(field)) << field;
    }
    for (const char* const field : {"1234", "1,23", "1234,567", ",234", "1,2345", "a,bcd", "",
                                    "1,234 567", "12.05.2020", "1 23", "1.234,5,6"}) {
        EXPECT_FALSE(has_thousands_separators(field)) << field;
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
