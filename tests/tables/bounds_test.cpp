// Columns with public bounds and fills, through every reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "dpcov/schema.hpp"
#include "tables/array_reader.hpp"
#include "tables/csv_reader.hpp"
#include "tables/svm_reader.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Values = std::vector<double>;
using Names = std::vector<std::string>;

const Schema by_name = {{.name = "age", .bounds = {{0, 100}}, .fill = 50.0},
                        {.name = "income", .bounds = {{0, 10}}}};
const Schema by_place = {{.name = "1", .bounds = {{0, 100}}, .fill = 75.0},
                         {.name = "0", .bounds = {{-1, 1}}}};

TableOptions with_bounds(const Schema& bounds, BadRows bad_rows = BadRows::error) {
    TableOptions options;
    options.bounds = bounds;
    options.bad_rows = bad_rows;
    return options;
}

Values read_bounded(std::string_view text, const TableOptions& options) {
    return read_all(*open_csv(in_memory(text), ',', options)).values;
}

TEST(Bounds, SelectOrderClampAndMapNamedColumns) {
    EXPECT_EQ(
        read_bounded("x,income, age \ntext,2.5,75\n,-5,1e9\n,inf,-inf\n", with_bounds(by_name)),
        (Values{0.5, -0.5, 1, -1, -1, 1}));
}

TEST(Bounds, FillWhatIsMissingOrUnreadable) {
    for (const std::string field : {"", "NA", "nan", "text", "1,234", "\"1,234\""}) {
        if (field == "1,234") {
            continue;  // two fields
        }
        EXPECT_EQ(read_bounded("income,age\n5," + field + "\n", with_bounds(by_name)),
                  (Values{0, 0}))
            << field;
    }
    // Without a fill the row is bad: zeros after the map, that is the midpoints.
    expect_error<DataError>([] { read_bounded("income,age\n,100\n", with_bounds(by_name)); },
                            {"row 1", "column 0 'income'", "missing"});
    expect_error<DataError>([] { read_bounded("income,age\nnan,100\n", with_bounds(by_name)); },
                            {"row 1", "column 0 'income'", "NaN"});
    EXPECT_EQ(read_bounded("income,age\n,100\n10,100\n", with_bounds(by_name, BadRows::zero)),
              (Values{0, 0, 1, 1}));
    EXPECT_EQ(read_bounded("income,age\n10\n\n10,100,1\n", with_bounds(by_name, BadRows::zero)),
              (Values{0, 0, 0, 0, 0, 0}));
}

TEST(Bounds, FillABlankLineOfATableOfOneColumn) {
    const Schema one = {{.name = "age", .bounds = {{0, 100}}, .fill = 100.0}};
    EXPECT_EQ(read_bounded("age\n0\n\n50\n", with_bounds(one)), (Values{-1, 1, 0}));
    EXPECT_EQ(read_bounded("age\n0\n\n50\n", with_bounds(one, BadRows::zero)), (Values{-1, 1, 0}));
    EXPECT_EQ(read_bounded("age\n0\n5,5\n50\n", with_bounds(one, BadRows::zero)),
              (Values{-1, 0, 0}));
}

TEST(Bounds, SayThatThereIsAHeaderOrNone) {
    const auto named = open_csv(in_memory("age,income\n1,2\n"), ',', with_bounds(by_name));
    EXPECT_EQ(named->schema(), by_name);
    const auto placed = open_csv(in_memory("0.5,100\n"), ',', with_bounds(by_place));
    EXPECT_EQ(column_names(placed->schema()), (Names{"1", "0"}));
    EXPECT_EQ(placed->schema()[0].bounds, by_place[0].bounds);
    EXPECT_EQ(placed->schema()[0].fill, by_place[0].fill);
    EXPECT_EQ(read_all(*placed).values, (Values{1, 0.5}));
    // Indices into a header that was declared: the names are the header's.
    TableOptions options = with_bounds(by_place);
    options.header = Header::yes;
    EXPECT_EQ(column_names(open_csv(in_memory("a,b\n1,2\n"), ',', options)->schema()),
              (Names{"b", "a"}));
    // Without names at all: by place.
    const Schema unnamed = {{.bounds = {{0, 2}}}, {.bounds = {{0, 4}}}};
    EXPECT_EQ(read_bounded("2,0\n", with_bounds(unnamed)), (Values{1, -1}));
}

TEST(Bounds, ByIndexNeedNoWidth) {
    EXPECT_EQ(read_bounded("1,0\n1\n1,100,text\n\n", with_bounds(by_place, BadRows::zero)),
              (Values{-1, 1, 0, 0, 1, 1, 0, 0}));
    EXPECT_EQ(read_bounded("", with_bounds(by_place, BadRows::zero)), Values{});
    EXPECT_EQ(read_bounded("", with_bounds(by_place)), Values{});
}

TEST(Bounds, ExcludeColumnsAndScales) {
    TableOptions options = with_bounds(by_name);
    options.columns = {"age"};
    expect_error<UsageError>([&] { read_bounded("age,income\n", options); }, {"neither columns"});
    options = with_bounds(by_name);
    options.scale = 2;
    expect_error<UsageError>([&] { read_bounded("age,income\n", options); }, {"nor scales"});
    options = with_bounds(by_name);
    options.column_scales = {{"age", 2.0}};
    expect_error<UsageError>([&] { read_bounded("age,income\n", options); }, {"nor scales"});
    const Schema bad = {{.name = "age", .bounds = {{1, 0}}}};
    expect_error<UsageError>([&] { read_bounded("age\n", with_bounds(bad)); }, {"age", "bounds"});
    options = with_bounds(by_name);
    expect_error<UsageError>([&] { read_bounded("agee,income\n", options); },
                             {"no column 'age'", "declare the header"}, {"agee"});
    options.header = Header::yes;
    expect_error<UsageError>([&] { read_bounded("agee,income\n", options); },
                             {"no column 'age'", "did you mean 'agee'?"});
}

// Values between the first bounds here would become 0 and 2, and be cut. In other words: their
// midpoint rounds to one of them.
TEST(Bounds, WhoseMidpointIsNoDoubleAreRefused) {
    for (const auto& [lower, upper] : {std::pair(1e16, 1e16 + 2.0), std::pair(-1e16 - 6.0, -1e16),
                                       std::pair(1.0, std::nextafter(1.0, 2.0))}) {
        const Schema bad = {{.name = "time", .bounds = {{lower, upper}}}};
        expect_error<UsageError>([&] { check_schema(bad); },
                                 {"column 0 'time'", "midpoint", "subtract a public number"});
    }
    for (const auto& [lower, upper] :
         {std::pair(1e16, 1e16 + 4.0), std::pair(1e9 + 0.1, 1e9 + 0.7), std::pair(0.1, 0.7),
          std::pair(-1e-60, 1e-60), std::pair(-1e-30, 5e59)}) {
        EXPECT_NO_THROW(check_schema({{.bounds = {{lower, upper}}}})) << lower;
    }
}

TEST(Bounds, MapArraysAndSparseRows) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    std::string data;
    for (const double value : {0.5, 100.0, -7.0, nan, nan, 0.0, infinity, 50.0}) {
        data += encode(value, false);
    }
    const std::string file = npy(npy_dictionary("<f8", false, "(4, 2)"), data);
    EXPECT_EQ(read_all(*open_npy(in_memory(file), with_bounds(by_place, BadRows::zero))).values,
              (Values{1, 0.5, 0.5, -1, 0, 0, 0, 1}));
    expect_error<DataError>([&] { read_all(*open_npy(in_memory(file), with_bounds(by_place))); },
                            {"row 3, column 0 (counted from 0)", "NaN"});
    TableOptions options = with_bounds(by_place, BadRows::zero);
    options.dimension = 2;
    // An index that is absent is the value 0; a field without a value is missing.
    EXPECT_EQ(read_all(*open_svm(in_memory("1 1:1\n1 2:\n1 1:x 2:50\n"), options)).values,
              (Values{-1, 1, 0.5, 0, 0, 0}));
}

// 7 is within the bounds, -99 below, 999 above.
const Schema with_codes = {
    {.name = "0", .bounds = {{0, 10}}, .fill = 2.5, .missing = {-99, 7}},
    {.name = "1", .bounds = {{0, 10}}, .missing = {999}},
};

// By the control a code of one column is a value of the other, and so are neighbours of codes.
TEST(Bounds, TakeCodesAsMissingValues) {
    for (const std::string code : {"-99", "7", "7.0", "+7e0", "-990e-1", "\"7\"", "", "NA"}) {
        EXPECT_EQ(read_bounded(code + ",10\n", with_bounds(with_codes)), (Values{-0.5, 1})) << code;
    }
    EXPECT_EQ(read_bounded("-99.5,-99\n999,7\n7.5,0\n", with_bounds(with_codes)),
              (Values{-1, -1, 1, 0.4, 0.5, -1}));
    // Without a fill the row is bad.
    expect_error<DataError>([] { read_bounded("5,5\n7,999\n", with_bounds(with_codes)); },
                            {"row 2 (line 2), column 1", "the value is missing"}, {"999"});
    expect_problem([] { read_bounded("5,999\n", with_bounds(with_codes)); }, DataProblem::missing);
    EXPECT_EQ(read_bounded("0,999\n0,0\n", with_bounds(with_codes, BadRows::zero)),
              (Values{0, 0, -1, -1}));
    TableOptions german = with_bounds(with_codes);
    german.decimal = ',';
    EXPECT_EQ(read_all(*open_csv(in_memory("7,0;10,0\n"), ';', german)).values, (Values{-0.5, 1}));
}

TEST(Bounds, TakeCodesInArraysAndSparseRows) {
    std::string doubles;
    for (const double value : {7.0, 5.0, -99.0, 10.0, 0.0, 999.0, 5.0, 0.0}) {
        doubles += encode(value, false);
    }
    const Values expected = {-0.5, 0, -0.5, 1, 0, 0, 0, -1};
    const std::string rows = npy(npy_dictionary("<f8", false, "(4, 2)"), doubles);
    EXPECT_EQ(read_all(*open_npy(in_memory(rows), with_bounds(with_codes, BadRows::zero))).values,
              expected);
    expect_error<DataError>([&] { read_all(*open_npy(in_memory(rows), with_bounds(with_codes))); },
                            {"row 3, column 1 (counted from 0)", "the value is missing"});
    const Schema in_bytes = {{.name = "0", .bounds = {{0, 10}}, .fill = 2.5, .missing = {255}}};
    const std::string idx = std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x01\xff\x0a", 14);
    EXPECT_EQ(read_all(*open_idx(in_memory(idx), with_bounds(in_bytes))).values, (Values{-0.5, 1}));

    TableOptions options = with_bounds(with_codes, BadRows::zero);
    options.dimension = 2;
    EXPECT_EQ(
        read_all(*open_svm(in_memory("1 1:7 2:5\n1 1:-99 2:10\n1 2:999\n1 1:5\n"), options)).values,
        expected);
    // An absent entry is the value 0, also as a code.
    options.bounds[0].missing = {0};
    EXPECT_EQ(read_all(*open_svm(in_memory("1 2:5\n1 1:-0.0 2:5\n1 1:5 2:5\n"), options)).values,
              (Values{-0.5, 0, -0.5, 0, 0, 0}));
}

// The readers' own loop without bounds is the map of the schema.
TEST(Bounds, MapRowAndTheDivisionAgree) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Values values = {0.1, -3, 1e308, 5e-324, nan, std::numeric_limits<double>::infinity(), 7};
    const Schema schema = {{.scale = 3.0}, {.scale = 1e-3}};
    for (const double a : values) {
        for (const double b : values) {
            TableOptions options;
            options.bad_rows = BadRows::zero;
            options.scale = 1.0;
            options.column_scales = {{"0", 3.0}, {"1", 1e-3}};
            const std::string file =
                npy(npy_dictionary("<f8", false, "(1, 2)"), encode(a, false) + encode(b, false));
            Values row = {a, b};
            if (!map_row(schema, row)) {
                row = {0, 0};
            }
            EXPECT_EQ(read_all(*open_npy(in_memory(file), options)).values, row);
        }
    }
}

// Whatever the bounds are, values at them and beyond are mapped to [-1, 1], to the last bit: norm
// bounds count on it. Control: the quotient itself is not always in there.
TEST(Bounds, MapNoValueBeyondOne) {
    std::mt19937_64 generator(51);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    int beyond = 0;
    for (int i = 0; i < 100000; ++i) {
        const double a = uniform(generator);
        const double b = uniform(generator);
        Column column{.bounds = ColumnBounds{std::min(a, b), std::max(a, b)}};
        for (const double value : {a, b, 2.0, -2.0}) {
            std::vector<double> row = {value};
            ASSERT_TRUE(map_row({column}, row));
            ASSERT_LE(std::abs(row[0]), 1.0) << a << ' ' << b;
            const double inside = std::clamp(value, column.bounds->lower, column.bounds->upper);
            beyond += std::abs((inside - column.midpoint()) / column.unit()) > 1.0 ? 1 : 0;
        }
    }
    EXPECT_GT(beyond, 100);
}

// Bounds of 10^16, where doubles are 2 apart: their midpoint is none, and what is taken for it is
// one off, of 5001, or of 5 000 001.
TEST(Bounds, WhoseMidpointIsOffByLittleAreRefused) {
    const auto schema = [](double apart) {
        return Schema{{.bounds = ColumnBounds{.lower = 1e16, .upper = 1e16 + apart}}};
    };
    EXPECT_THROW(check_schema(schema(10002.0)), UsageError);
    EXPECT_NO_THROW(check_schema(schema(10000002.0)));
    EXPECT_NO_THROW(check_schema(schema(10000.0)));  // its midpoint is a double
}

// Values are in [-1, 1], and so at most 1 and the size of the origin from it, whatever its sign.
TEST(Bounds, ImplyANormBoundAboutAnyOrigin) {
    const Schema schema(2, Column{.bounds = ColumnBounds{0.0, 1.0}});
    for (const double sign : {1.0, -1.0}) {
        const std::vector<double> origin = {sign * 0.5, 0.0};
        EXPECT_DOUBLE_EQ(implied_norm_bound(schema, origin, {}).value(), std::hypot(1.5, 1.0));
        EXPECT_DOUBLE_EQ(implied_norm_bound(schema, origin, std::vector<double>{2.0, 3.0}).value(),
                         std::hypot(3.0, 3.0));
    }
}

}  // namespace
}  // namespace dpcov::test
