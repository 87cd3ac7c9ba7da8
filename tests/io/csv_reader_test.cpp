#include "io/csv_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/table_support.hpp"

namespace dpcov::test {
namespace {

constexpr TableOptions defaults{};

TableOptions zero_bad_rows(Header header = Header::detect) {
    TableOptions options;
    options.bad_rows = BadRows::zero;
    options.header = header;
    return options;
}

Table read_csv(std::string_view text, const TableOptions& options = {}, char separator = ',',
               std::size_t block_rows = 100) {
    return read_all(*open_csv(in_memory(text), separator, options), block_rows);
}

using Values = std::vector<double>;
using Names = std::vector<std::string>;

TEST(CsvReader, ReadsPlainNumbers) {
    const Table table = read_csv("1,2\n3,-4.5e1\n");
    EXPECT_EQ(table.rows, 2U);
    EXPECT_EQ(table.values, (Values{1, 2, 3, -45}));
}

TEST(CsvReader, ReadsEveryLineEndAndAMissingLastOne) {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        EXPECT_EQ(read_csv("1,2" + end + "3,4" + end).values, (Values{1, 2, 3, 4}));
        EXPECT_EQ(read_csv("1,2" + end + "3,4").values, (Values{1, 2, 3, 4}));
    }
}

TEST(CsvReader, SkipsBlankLinesAndTheByteOrderMark) {
    EXPECT_EQ(read_csv("\xef\xbb\xbf\n1,2\n\n  \t\n3,4\r\n\r\n\n").values, (Values{1, 2, 3, 4}));
    const auto reader = open_csv(in_memory("\xef\xbb\xbf"
                                           "a,b\n1,2\n"),
                                 ',', {});
    EXPECT_EQ(column_names(reader->schema()), (Names{"a", "b"}));
}

TEST(CsvReader, ReadsQuotedFields) {
    const auto reader =
        open_csv(in_memory("\"a, \"\"b\"\"\",\"c\nd\",e\r\n\"1\",\" 2 \",3\n4,5,\"6\"\n"), ',', {});
    EXPECT_EQ(column_names(reader->schema()), (Names{"a, \"b\"", "c\nd", "e"}));
    EXPECT_EQ(read_all(*reader).values, (Values{1, 2, 3, 4, 5, 6}));
}

TEST(CsvReader, TrimsBlanksAndTakesALeadingPlus) {
    EXPECT_EQ(read_csv(" 1 ,\t+2\t, +3e0\n").values, (Values{1, 2, 3}));
}

TEST(CsvReader, ReadsTabSeparatedValues) {
    EXPECT_EQ(read_csv("x\ty\n1\t2\n3\t 4\n", {}, '\t').values, (Values{1, 2, 3, 4}));
    // A field that is empty at the front must not vanish with the blanks.
    EXPECT_EQ(read_csv("1\t2\n\t4\n5\t6\n", zero_bad_rows(), '\t').values,
              (Values{1, 2, 0, 0, 5, 6}));
    expect_error<DataError>([] { read_csv("1\t2\n\t4\n", {}, '\t'); },
                            {"row 2", "column 0", "missing"});
}

TEST(CsvReader, DetectsAHeader) {
    EXPECT_EQ(column_names(open_csv(in_memory("a,b\n1,2\n"), ',', defaults)->schema()),
              (Names{"a", "b"}));
    // The unnamed index column that pandas writes.
    EXPECT_EQ(column_names(open_csv(in_memory(",b\n1,2\n"), ',', defaults)->schema()),
              (Names{"", "b"}));
    EXPECT_TRUE(column_names(open_csv(in_memory("1,2\n3,4\n"), ',', defaults)->schema()).empty());
    // A first row with missing values is a row.
    EXPECT_EQ(read_csv(",NA\n3,4\n", zero_bad_rows()).rows, 2U);
    EXPECT_EQ(read_csv("1,nan\n3,4\n", zero_bad_rows()).rows, 2U);
}

TEST(CsvReader, RefusesToGuessWhetherAMixedFirstRecordIsAHeader) {
    expect_error<DataError>([] { read_csv("39,State-gov\n50,Private\n"); },
                            {"memory", "--header yes", "--header no"}, {"State-gov", "39"});
    TableOptions options;
    options.header = Header::yes;
    EXPECT_EQ(column_names(open_csv(in_memory("2019,total\n1,2\n"), ',', options)->schema()),
              (Names{"2019", "total"}));
    options.header = Header::no;
    options.columns = {"0"};
    EXPECT_EQ(read_csv("39,State-gov\n50,Private\n", options).values, (Values{39, 50}));
}

TEST(CsvReader, TakesTheHeaderFromTheCallerWhenTold) {
    TableOptions options;
    options.header = Header::yes;
    EXPECT_EQ(read_csv("1,2\n3,4\n", options).values, (Values{3, 4}));
    EXPECT_EQ(read_csv("a,b\n3,4\n", zero_bad_rows(Header::no)).values, (Values{0, 0, 3, 4}));
}

TEST(CsvReader, SelectsColumnsAndIgnoresTheOthers) {
    TableOptions options;
    options.columns = {"c", "0"};
    EXPECT_EQ(read_csv("a,b,c\n1,text,3\n4,,6\n7,inf,9\n", options).values,
              (Values{3, 1, 6, 4, 9, 7}));
}

TEST(CsvReader, Scales) {
    TableOptions options;
    options.scale = 2.0;
    options.column_scales = {{"b", 5.0}};
    EXPECT_EQ(read_csv("a,b\n4,20\n", options).values, (Values{2, 2}));
}

TEST(CsvReader, NamesRowLineAndColumnOfABadCellButNotItsText) {
    struct Case {
        std::string field;
        std::string problem;
    };
    for (const Case& bad :
         {Case{"", "missing"}, Case{"NA", "missing"}, Case{"NaN", "NaN"}, Case{"-inf", "infinite"},
          Case{"Infinity", "infinite"}, Case{"s3cret", "not a number"}, Case{"77x", "not a number"},
          Case{"7 7", "not a number"}, Case{"+-77", "not a number"}, Case{"0x77", "not a number"},
          Case{"1e777", "too large"}, Case{"77\"", "not a number"}}) {
        // The header takes lines 1 and 2, line 3 is blank, so the second row stands in line 5.
        const std::string text = "a,\"b\nb\"\n\n1,2\n3," + bad.field + "\n5,6\n";
        expect_error<DataError>([&] { read_csv(text); },
                                {"memory: row 2 (line 5), column 1 'b?b' (counted from 0)",
                                 bad.problem, "--bad-rows zero"},
                                {"s3cret", "77"});
        EXPECT_EQ(read_csv(text, zero_bad_rows()).values, (Values{1, 2, 0, 0, 5, 6})) << bad.field;
    }
}

TEST(CsvReader, CountsLinesWhateverTheirEnd) {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        expect_error<DataError>(
            [&] { read_csv("1,2" + end + end + "\"3\"," + "4" + end + "5,x" + end); },
            {"row 3 (line 4)"});
    }
}

TEST(CsvReader, ReportsTheWrongNumberOfFieldsEvenOutsideTheSelection) {
    TableOptions options;
    options.columns = {"0"};
    for (const auto& [row, found] : {std::pair<std::string, std::string>{"3", "1 fields"},
                                     {"3,4,5", "3 fields"},
                                     {"3,4,", "3 fields"}}) {
        const std::string text = "1,2\n" + row + "\n5,6\n";
        options.bad_rows = BadRows::error;
        expect_error<DataError>([&] { read_csv(text, options); },
                                {"row 2 (line 2)", found, "2 columns", "--bad-rows zero"});
        options.bad_rows = BadRows::zero;
        EXPECT_EQ(read_csv(text, options).values, (Values{1, 0, 5}));
    }
}

TEST(CsvReader, TakesADivisionThatOverflowsAsBad) {
    TableOptions options;
    options.scale = 0.5;
    expect_error<DataError>([&] { read_csv("1,2\n3,1.7e308\n", options); },
                            {"row 2", "column 1", "overflows", "scale"}, {"1.7"});
    options.bad_rows = BadRows::zero;
    EXPECT_EQ(read_csv("1,2\n3,1.7e308\n", options).values, (Values{2, 4, 0, 0}));
}

TEST(CsvReader, KeepsSubnormalAndHugeValues) {
    EXPECT_EQ(
        read_csv("5e-324,1.7976931348623157e308\n").values,
        (Values{std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()}));
}

TEST(CsvReader, RefusesTextWithoutRows) {
    for (const std::string text : {"", "\n\n", "\xef\xbb\xbf", "  \r\n"}) {
        expect_error<DataError>([&] { read_csv(text); }, {"memory", "empty"});
    }
    for (const std::string text : {"a,b", "a,b\n\n"}) {
        expect_error<DataError>([&] { read_csv(text); }, {"memory", "no rows"});
    }
}

TEST(CsvReader, TellsWhenQuotesHideTheEndOfARecord) {
    for (const auto bad_rows : {BadRows::error, BadRows::zero}) {
        TableOptions options;
        options.bad_rows = bad_rows;
        expect_error<DataError>([&] { read_csv("1,2\n3,\"4\n5,6\n", options); },
                                {"line 2", "never closed"});
        expect_error<DataError>([&] { read_csv("1,2\n3,\"4\"5\n5,6\n", options); },
                                {"line 2", "closing quote"});
    }
    // A quote that begins a field of 17 MiB is not waited for until the memory is full.
    expect_error<DataError>([] { read_csv("1,\"" + std::string(17U << 20U, '2')); },
                            {"line 1", "16 MiB"});
}

TEST(CsvReader, RecognisesOtherEncodings) {
    expect_error<DataError>(
        [] {
            read_csv(
                std::string_view("\xff\xfe"
                                 "1\0",
                                 4));
        },
        {"UTF-16", "iconv"});
    expect_error<DataError>([] { read_csv(gzip("1,2\n")); }, {"gzip", "gunzip"});
}

TEST(CsvReader, RefusesMoreColumnsThanItCanUse) {
    expect_error<DataError>([] { read_csv(std::string(1'000'001, ',')); }, {"1000000"});
}

TEST(CsvReader, RefusesABlockWithoutRoomForARow) {
    const auto reader = open_csv(in_memory("1,2\n"), ',', {});
    std::vector<double> block(1);
    expect_error<UsageError>([&] { (void)reader->read(block); }, {"at least one row"});
}

/// A stream that hands out a few bytes at a time, as a pipe may.
class Trickle final : public ByteStream {
public:
    Trickle(std::unique_ptr<ByteStream> source, std::size_t step)
        : ByteStream("trickle"), source_(std::move(source)), step_(step) {}
    std::size_t read(std::span<unsigned char> into) override {
        return source_->read(into.first(std::min(step_, into.size())));
    }

private:
    std::unique_ptr<ByteStream> source_;
    std::size_t step_;
};

TEST(CsvReader, DoesNotDependOnBlockOrBufferSizes) {
    std::string text = "a,b,c\r\n";
    for (int i = 0; i < 2000; ++i) {
        text += std::to_string(i) + ",\"" + std::to_string(i * 0.25) + "\"," +
                (i % 7 == 3 ? "x" : "1e-3") + (i % 2 == 0 ? "\r\n" : "\n\n");
    }
    const Table expected = read_csv(text, zero_bad_rows(), ',', 5000);
    ASSERT_EQ(expected.rows, 2000U);
    for (const std::size_t block_rows : {1U, 2U, 7U, 1999U, 2000U}) {
        EXPECT_EQ(read_csv(text, zero_bad_rows(), ',', block_rows).values, expected.values);
    }
    for (const std::size_t step : {1U, 2U, 3U, 1000U}) {
        const auto reader =
            open_csv(std::make_unique<Trickle>(in_memory(text), step), ',', zero_bad_rows());
        EXPECT_EQ(read_all(*reader).values, expected.values) << step;
    }
}

TEST(CsvReader, ReadsOneRowOneColumnAndMoreColumnsThanRows) {
    EXPECT_EQ(read_csv("7").values, (Values{7}));
    EXPECT_EQ(read_csv("x\n1\n2\n3\n").values, (Values{1, 2, 3}));
    EXPECT_EQ(read_csv("1,2,3,4,5\n").values, (Values{1, 2, 3, 4, 5}));
    EXPECT_EQ(read_csv("0,0\n0,0\n").values, (Values{0, 0, 0, 0}));
    EXPECT_EQ(read_csv("1\n\"\"\n3\n", zero_bad_rows()).values, (Values{1, 0, 3}));
}

TEST(CsvReader, SurvivesEveryPrefixOfAnIntricateFile) {
    const std::string text = "\xef\xbb\xbf\"a\"\"\",b\r\n\" 1\",+2e1\n\n\"3\",4\r\n,5\nx\"y,6\n";
    for (std::size_t length = 0; length <= text.size(); ++length) {
        try {
            const Table table = read_csv(text.substr(0, length), zero_bad_rows());
            EXPECT_GE(table.rows, 1U);
            EXPECT_LE(table.rows, 4U);
        } catch (const DataError&) {
        }
    }
}

}  // namespace
}  // namespace dpcov::test
