// Indicator columns, NAME=VALUE: which column they are of, and what they have for a field of text.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "support/expected_error.hpp"
#include "tables/called_columns.hpp"
#include "tables/csv_reader.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using IndicatorValues = std::vector<double>;
using IndicatorNames = std::vector<std::string>;

constexpr std::string_view people =
    "sex,region,age\n"
    "f,north,40\n"
    "\"m\", south ,41\n"
    "f\t,\"say \"\"hi\"\"\",42\n"
    "\" m \",\"south, by sea\",43\r\n";

TableOptions taking(IndicatorNames columns, Header header = Header::yes,
                    BadRows bad_rows = BadRows::error) {
    TableOptions options;
    options.columns = std::move(columns);
    options.header = header;
    options.bad_rows = bad_rows;
    return options;
}

IndicatorValues read_people(std::string_view text, const TableOptions& options) {
    return read_all(*open_csv(in_memory(text), ',', options), 3).values;
}

IndicatorNames names_of(std::string_view text, const TableOptions& options) {
    return column_names(open_csv(in_memory(text), ',', options)->schema());
}

void expect_refusal(std::string_view text, const TableOptions& options, const std::string& said) {
    expect_error<UsageError>([&] { read_people(text, options); }, {said});
}

TEST(Indicators, CompareTextWithoutBlanksAndQuotes) {
    EXPECT_EQ(read_people(people, taking({"sex=f"})), (IndicatorValues{1, 0, 1, 0}));
    EXPECT_EQ(read_people(people, taking({"sex=m"})), (IndicatorValues{0, 1, 0, 1}));
    EXPECT_EQ(read_people(people, taking({"region=south"})), (IndicatorValues{0, 1, 0, 0}));
    EXPECT_EQ(read_people(people, taking({"region=south, by sea"})), (IndicatorValues{0, 0, 0, 1}));
    EXPECT_EQ(read_people(people, taking({"region=say \"hi\""})), (IndicatorValues{0, 0, 1, 0}));
    EXPECT_EQ(read_people(people, taking({"region=say \"\"hi\"\""})),
              (IndicatorValues{0, 0, 0, 0}));
    // Neither another case nor another way to write a number is the same text.
    EXPECT_EQ(read_people(people, taking({"sex=F"})), (IndicatorValues{0, 0, 0, 0}));
    EXPECT_EQ(read_people(people, taking({"age=40"})), (IndicatorValues{1, 0, 0, 0}));
    EXPECT_EQ(read_people(people, taking({"age=40.0"})), (IndicatorValues{0, 0, 0, 0}));
    EXPECT_EQ(read_people("a\ntrue\nTRUE\n1\n", taking({"a=true"})), (IndicatorValues{1, 0, 0}));
}

TEST(Indicators, OfOneFieldMayBeManyBesideItsNumber) {
    const TableOptions options = taking({"age=41", "sex=f", "age", "age=40", "sex=m"});
    EXPECT_EQ(read_people(people, options), (IndicatorValues{0, 1, 40, 1, 0,  //
                                                             1, 0, 41, 0, 1,  //
                                                             0, 1, 42, 0, 0,  //
                                                             0, 0, 43, 0, 1}));
    EXPECT_EQ(names_of(people, options), options.columns);
}

TEST(Indicators, AreNamedWithoutTheBlanksAroundNameAndValue) {
    EXPECT_EQ(names_of(people, taking({" sex = f "})), (IndicatorNames{"sex=f"}));
    EXPECT_EQ(names_of(people, taking({"0=f", "2"})), (IndicatorNames{"sex=f", "age"}));
    EXPECT_EQ(names_of("f,1\n", taking({"1", "0= f"}, Header::no)), (IndicatorNames{"1", "0=f"}));
    EXPECT_EQ(names_of("f,1\n", taking({"0", "1=1"}, Header::no)), (IndicatorNames{"0", "1=1"}));
}

TEST(Indicators, GiveWayToAColumnOfThatNameAndTakeTheLongestName) {
    constexpr std::string_view text = "a,a=b,a=b=c,7\n1,2,3,c\n";
    EXPECT_EQ(read_people(text, taking({"a=b"})), (IndicatorValues{2}));
    EXPECT_EQ(read_people(text, taking({"a=b=c"})), (IndicatorValues{3}));
    EXPECT_EQ(read_people(text, taking({"a=b=2"})), (IndicatorValues{1}));    // of a=b
    EXPECT_EQ(read_people(text, taking({"a=b=c=3"})), (IndicatorValues{1}));  // of a=b=c
    EXPECT_EQ(read_people(text, taking({"a=1"})), (IndicatorValues{1}));
    EXPECT_EQ(read_people("a\nb==c\n", taking({"a=b==c"})), (IndicatorValues{1}));
    EXPECT_EQ(read_people(text, taking({"7=c"})), (IndicatorValues{1}));  // a name, not a place
}

TEST(Indicators, CallAColumnByItsPlace) {
    constexpr std::string_view rows = "f,1\nm,2\n";
    TableOptions options;
    options.bounds = {{.name = "0=f", .bounds = {{0, 1}}}, {.name = "1", .bounds = {{0, 4}}}};
    EXPECT_EQ(read_people(rows, options), (IndicatorValues{1, -0.5, -1, 0}));
    options.bounds.pop_back();
    for (const Header header : {Header::undeclared, Header::no}) {
        options.header = header;
        options.bad_rows = BadRows::zero;  // a width is not needed: one field is
        EXPECT_EQ(read_people("f\nm,2\n\n", options), (IndicatorValues{1, -1, 0}));
    }
    EXPECT_TRUE(is_place(" 3 = a "));
    EXPECT_TRUE(is_place("3=a=b"));
    EXPECT_FALSE(is_place("=3"));
    EXPECT_FALSE(is_place("a=3"));
    // Whole numbers before the '=' are either all names or all places, as alone.
    expect_refusal("0,x\n1,2\n", taking({"0=1", "1"}), "either names or places");
    expect_refusal(rows, taking({"2=f"}, Header::no), "there is no column '2=f'; the table has 2");
}

TEST(Indicators, AreMissingWhereTheFieldIs) {
    const double fill = 0.25;
    for (const std::string field : {"", " ", "NA", "\"n/a\"", "?", "null", " None", "."}) {
        const std::string text = "a,b\nx,1\n" + field + ",2\n";
        EXPECT_EQ(expect_problem(
                      [&] {
                          read_people(text, taking({"b", "a=x"}));
                      },
                      DataProblem::missing)
                      .column_name,
                  "a=x");
        EXPECT_EQ(read_people(text, taking({"b", "a=x"}, Header::yes, BadRows::zero)),
                  (IndicatorValues{1, 1, 0, 0}));
        TableOptions options;
        options.bounds = {{.name = "a=x", .bounds = {{0, 1}}, .fill = fill}};
        EXPECT_EQ(read_people(text, options), (IndicatorValues{1, 2 * fill - 1}));
        // The number beside it has a fill of its own.
        options.bounds.push_back({.name = "a", .bounds = {{0, 2}}, .fill = 1});
        EXPECT_EQ(read_people(text, options), (IndicatorValues{1, 0, 2 * fill - 1, 0}));
    }
    // In a table of one column a blank line is a missing value.
    expect_problem([] { read_people("a\nx\n\n", taking({"a=x"})); }, DataProblem::blank);
}

TEST(Indicators, ScaleAndClampAsOtherColumnsDo) {
    TableOptions options = taking({"age", "age=40"});
    options.scale = 2.0;
    options.column_scales = {{"age=40", 4.0}, {"age=41", 3.0}};
    EXPECT_EQ(read_people("age\n40\n", options), (IndicatorValues{20, 0.125}));
    options.column_scales = {{"age", 4.0}};
    EXPECT_EQ(read_people("age\n40\n", options), (IndicatorValues{5, 0.5}));
    options.column_scales = {{"age=40", 4.0}, {"0= 40", 4.0}};
    expect_refusal("age\n40\n", options, "has two scales");
    TableOptions bounded;
    bounded.bounds = {{.name = "age=40", .bounds = {{0, 0.5}}}};
    EXPECT_EQ(read_people("age\n40\n41\n", bounded), (IndicatorValues{1, -1}));
}

TEST(Indicators, RefuseWhatCannotBe) {
    for (const char* none : {"sex=", "sex= ", "sex=NA", "sex=?"}) {
        expect_refusal(people, taking({none}), "which is a missing value");
    }
    expect_refusal(people, taking({"sex=f", "sex = f"}), "'sex = f' is selected twice");
    expect_refusal(people, taking({"sex=f", "0=f"}), "'0=f' is selected twice");
    expect_refusal(people, taking({"regoin=north"}),
                   "there is no column 'regoin=north', and none 'regoin' that may have such a "
                   "value; did you mean 'region'?");
    expect_refusal("a=b,c\n1,2\n", taking({"a=bb"}), "no column 'a=bb'; did you mean 'a=b'?");
    expect_refusal("a,a\n1,2\n", taking({"a=1"}), "several columns have the name in 'a=1'");
    expect_refusal(people, taking({"=f"}), "there is no column '=f'");
    // Codes are refused before the rows are looked at.
    TableOptions options;
    options.bounds = {{.name = "sex=9", .bounds = {{0, 1}}, .fill = 0, .missing = {9}}};
    expect_refusal("sex\n\"\n", options, "'sex=9' takes no codes for missing values");
    // A first line that may be a row is not told.
    try {
        read_people("secret\n1\n", taking({"sex=f"}, Header::undeclared));
        ADD_FAILURE() << "nothing was thrown";
    } catch (const UndeclaredError& error) {
        EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos);
    }
}

TEST(Indicators, AreOfTextWithDelimitersAlone) {
    const TemporaryFolder folder;
    for (const std::string name : {"table.npy", "table.svm", "table-float"}) {
        for (int given = 0; given < 3; ++given) {
            TableOptions options;
            if (given == 0) {
                options.columns = {"0=1"};
            } else if (given == 1) {
                options.bounds = {{.name = "0=1", .bounds = {{0, 1}}}};
            } else {
                options.column_scales = {{"0=1", 2.0}};
            }
            expect_error<UsageError>([&] { (void)open_table(folder / name, options); },
                                     {"only a CSV or TSV has columns NAME=VALUE"});
        }
    }
    write_file(folder / "table.tsv", "a\tb\nx y\t1\n");
    EXPECT_EQ(read_all(*open_table(folder / "table.tsv", taking({"a=x y", "b"}))).values,
              (IndicatorValues{1, 1}));
    write_file(folder / "table.csv.gz", gzip("a;b\n1,5;x\n"));
    TableOptions comma = taking({"b=x", "a", "a=1,5"});
    comma.delimiter = ';';
    comma.decimal = ',';
    EXPECT_EQ(read_all(*open_table(folder / "table.csv.gz", comma)).values,
              (IndicatorValues{1, 1.5, 1}));
}

// Against a plain reading of tables made at random, by one thread and several.
TEST(Indicators, AreWhatTheFieldsSay) {
    const std::vector<std::string> values = {"x", "y", "a b", "1", "1.0", "q\"q", "com,ma", "NA"};
    const auto written = [](const std::string& value, std::uint64_t way) {
        std::string quoted;
        for (const char c : value) {
            quoted += c == '"' ? "\"\"" : std::string(1, c);
        }
        const bool must = value.find(',') != std::string::npos;
        return way % 3 == 0 || must ? "\"" + quoted + "\"" : way % 3 == 1 ? " " + value : value;
    };
    std::mt19937_64 random(20261130);
    std::string text = "n,c,d\n";
    IndicatorValues expected;
    for (int row = 0; row < 3000; ++row) {
        const std::string& c = values[random() % values.size()];
        const std::string& d = values[random() % (values.size() - 1)];
        const bool bad = c == "NA";
        text += std::to_string(row) + "," + written(c, random()) + "," + written(d, random()) +
                (random() % 2 == 0 ? "\n" : "\r\n");
        for (const double value :
             {c == "q\"q" ? 1.0 : 0.0, static_cast<double>(row), d == "com,ma" ? 1.0 : 0.0,
              c == "1" ? 1.0 : 0.0, d == "x" ? 1.0 : 0.0}) {
            expected.push_back(bad ? 0.0 : value);
        }
    }
    TableOptions options =
        taking({"c=q\"q", "n", "d=com,ma", "c=1", "d=x"}, Header::yes, BadRows::zero);
    for (const unsigned threads : {1U, 2U, 5U}) {
        options.threads = threads;
        EXPECT_EQ(read_people(text, options), expected);
    }
}

}  // namespace
}  // namespace dpcov::test
