// Files of bounds and of scales.
#include <gtest/gtest.h>

#include <limits>

#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Scales = std::vector<std::pair<std::string, double>>;

class SchemaFile : public testing::Test {
protected:
    Schema schema(const std::string& text) {
        write_file(path_, text);
        return read_schema(path_);
    }
    Scales scales(const std::string& text) {
        write_file(path_, text);
        return read_column_scales(path_);
    }
    void refuse_schema(const std::string& text, const std::vector<std::string>& parts,
                       std::optional<std::uint64_t> line) {
        refuse(text, parts, line, [this] { (void)read_schema(path_); });
    }
    void refuse_scales(const std::string& text, const std::vector<std::string>& parts,
                       std::optional<std::uint64_t> line) {
        refuse(text, parts, line, [this] { (void)read_column_scales(path_); });
    }

    TemporaryFolder folder_;
    std::string path_ = folder_ / "columns.csv";

private:
    void refuse(const std::string& text, const std::vector<std::string>& parts,
                std::optional<std::uint64_t> line, const std::function<void()>& read) {
        SCOPED_TRACE(text);
        write_file(path_, text);
        std::vector<std::string> all = parts;
        all.push_back(path_);
        if (line) {
            all.push_back("line " + std::to_string(*line));
        }
        expect_error<DataError>(read, all);
        try {
            read();
        } catch (const DataError& error) {
            EXPECT_EQ(error.place().line, line);
        }
    }
};

TEST_F(SchemaFile, ReadsBounds) {
    const Schema expected = {{.name = "age", .bounds = {{0, 100}}, .fill = 40.0},
                             {.name = "net, income", .bounds = {{-1e3, 2.5e4}}},
                             {.name = "2", .bounds = {{0, 1}}}};
    const std::string rows = "age,0,100,40\n\"net, income\",-1e3,2.5e4\n2,0,1,\n";
    EXPECT_EQ(schema(rows), expected);
    EXPECT_EQ(schema("name,lower,upper,fill\n" + rows), expected);
    EXPECT_EQ(schema("Name,LOWER,Upper,fill\n" + rows), expected);
    EXPECT_EQ(schema("\xef\xbb\xbfname,lower,upper\r\n\r\n age , 0 ,\t100,40 \r\n"
                     "\"net, income\",\"-1e3\",2.5e4\r\n2,0,1"),
              expected);
    EXPECT_NO_THROW(check_schema(expected));
}

TEST_F(SchemaFile, ReadsCodesForMissingValues) {
    const Schema expected = {
        {.name = "age", .bounds = {{0, 100}}, .fill = 40.0, .missing = {-99, 999}},
        {.name = "trust", .bounds = {{0, 10}}, .missing = {7}},
        {.name = "income", .bounds = {{0, 1e5}}, .fill = 1e4}};
    const std::string rows = "age,0,100,40,-99 999\ntrust,0,10,,7\nincome,0,1e5,1e4,\n";
    EXPECT_EQ(schema(rows), expected);
    EXPECT_EQ(schema("name,lower,upper,fill,missing\n" + rows), expected);
    EXPECT_EQ(schema("Name,Lower,Upper,Fill,Missing\r\nage,0,100,40,\" -99 \t 9.99e2 \"\r\n"
                     "trust,0,10,, 7.0 \r\nincome,0,1e5,1e4"),
              expected);
    EXPECT_NO_THROW(check_schema(expected));
}

TEST_F(SchemaFile, RefusesCodesThatAreNoFiniteNumbers) {
    const std::string what = "code for missing values of column 'age' is not a finite number";
    for (const std::string code :
         {"nan", "inf", "-inf", "NA", "1e999", "x", "-99 nan", "-99;999"}) {
        refuse_schema("a,0,1\nage,0,1,," + code + "\n", {what}, 2);
    }
    refuse_schema("a,0,1\nage,0,1,0.5,\"-99,999\"\n", {what, "blanks between"}, 2);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double code : {nan, std::numeric_limits<double>::infinity()}) {
        expect_error<UsageError>(
            [code] {
                check_schema({{.name = "age", .bounds = {{0, 1}}, .missing = {1, code}}});
            },
            {"column 0 'age'", "code", "finite"});
    }
    expect_error<UsageError>([] { check_schema({{.name = "age", .missing = {1}}}); },
                             {"column 0 'age'", "codes", "need bounds"});
}

TEST_F(SchemaFile, RefusesOtherBounds) {
    refuse_schema("", {"no lines of name,lower,upper[,fill[,missing]]"}, std::nullopt);
    refuse_schema("name,lower,upper\n", {"no lines"}, std::nullopt);
    refuse_schema("age,0\n", {"expected name,lower,upper[,fill[,missing]]"}, 1);
    // As spreadsheets write it in half of Europe.
    refuse_schema("name;lower;upper\nage;0;100\n",
                  {"expected name,lower,upper[,fill[,missing]]", "here it is a comma"}, 1);
    refuse_schema("age\t0\t100\n", {"here it is a comma"}, 1);
    refuse_schema("a,0,1\nage,0,\"99,5\"\n", {"'age' is not a finite number", "decimal point"}, 2);
    refuse_schema("a,0,1\nage,0,1,2,3,4\n", {"expected name,lower,upper[,fill[,missing]]"}, 2);
    refuse_schema("a,0,1\n\nage,0,x\n", {"upper of column 'age'", "finite number"}, 3);
    refuse_schema("age,-inf,0\n", {"lower of column 'age'"}, 1);
    refuse_schema("age,nan,0\n", {"lower of column 'age'"}, 1);
    refuse_schema("age,,0\n", {"lower of column 'age'"}, 1);
    refuse_schema("age,1,1\n", {"'age'", "lower one below"}, 1);
    refuse_schema("age,2,1\n", {"'age'", "lower one below"}, 1);
    // Beyond these the matrix in the table's units would not be finite, or zero.
    refuse_schema("age,0,1e-320\n", {"'age'", "1e-60", "1e60"}, 1);
    refuse_schema("age,0,0.9e-60\n", {"'age'", "1e-60", "1e60"}, 1);
    refuse_schema("age,-1.7e308,1.7e308\n", {"'age'", "1e-60", "1e60"}, 1);
    refuse_schema("age,1e308,1.1e308\n", {"'age'", "1e-60", "1e60"}, 1);
    refuse_schema("age,0,1.1e60\n", {"'age'", "1e-60", "1e60"}, 1);
    refuse_schema("age,0,1,2\n", {"fill", "'age'", "within"}, 1);
    refuse_schema("age,0,1,x\n", {"fill of column 'age'"}, 1);
    refuse_schema("age,0,1\nage,0,2\n", {"'age'", "twice"}, 2);
    refuse_schema(",0,1\n", {"no name"}, 1);
    refuse_schema("age,0,1\nname,lower,upper\n", {"lower of column 'name'"}, 2);
    refuse_schema("age,\"0,1\n", {"quotes"}, 1);
    refuse_schema(
        "\xff\xfe"
        "a",
        {"UTF-16"}, std::nullopt);
    expect_error<DeviceError>([this] { (void)read_schema(folder_ / "none"); }, {"No such file"});
}

TEST_F(SchemaFile, ReadsScales) {
    const Scales expected = {{"a", 2.0}, {"b,c", 0.5}};
    EXPECT_EQ(scales("a,2\n\"b,c\",0.5\n"), expected);
    EXPECT_EQ(scales("\xef\xbb\xbfname,scale\r\n\r\n a ,2\r\n \"b,c\" ,0.5"), expected);
    for (const std::string bad :
         {"a,0\n", "a,-1\n", "a,x\n", "a,nan\n", "a,inf\n", "a\n", "a,1,2\n"}) {
        refuse_scales(bad, {}, 1);
    }
    refuse_scales("a,1\na,2\n", {"'a'", "twice"}, 2);
    refuse_scales("", {"name,scale"}, std::nullopt);
}

}  // namespace
}  // namespace dpcov::test
