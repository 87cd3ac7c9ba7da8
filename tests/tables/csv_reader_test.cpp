#include "tables/csv_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

TableOptions with_header(Header header, BadRows bad_rows = BadRows::error) {
    TableOptions options;
    options.header = header;
    options.bad_rows = bad_rows;
    return options;
}

const TableOptions no_header = with_header(Header::no);
const TableOptions named_header = with_header(Header::yes);

/// Under BadRows::zero, a table of so many columns without a header.
TableOptions zero_bad_rows(std::size_t columns) {
    TableOptions options = with_header(Header::no, BadRows::zero);
    options.dimension = columns;
    return options;
}

Table read_csv(std::string_view text, const TableOptions& options = no_header, char delimiter = ',',
               std::size_t block_rows = 100) {
    return read_all(*open_csv(in_memory(text), delimiter, options), block_rows);
}

Schema schema_of(std::string_view text, const TableOptions& options) {
    return open_csv(in_memory(text), ',', options)->schema();
}

using Values = std::vector<double>;
using Names = std::vector<std::string>;

TEST(CsvReader, ReadsPlainNumbers) {
    const Table table = read_csv("1,2\n3,-4.5e1\n");
    EXPECT_EQ(table.rows, 2U);
    EXPECT_EQ(table.values, (Values{1, 2, 3, -45}));
}

TEST(CsvReader, ReadsBothLineEndsAndAMissingLastOne) {
    for (const std::string end : {"\n", "\r\n"}) {
        EXPECT_EQ(read_csv("1,2" + end + "3,4" + end).values, (Values{1, 2, 3, 4}));
        EXPECT_EQ(read_csv("1,2" + end + "3,4").values, (Values{1, 2, 3, 4}));
    }
    EXPECT_EQ(expect_problem([] { read_csv("1,2\r3,4\r"); }, DataProblem::carriage_return).line, 1);
    EXPECT_EQ(expect_problem([] { read_csv("1,2\n3,4\r5,6\n"); }, DataProblem::carriage_return).row,
              2);
}

TEST(CsvReader, DropsTheByteOrderMark) {
    EXPECT_EQ(read_csv("\xef\xbb\xbf"
                       "1,2\n")
                  .values,
              (Values{1, 2}));
    EXPECT_EQ(column_names(schema_of("\xef\xbb\xbf"
                                     "a,b\n1,2\n",
                                     named_header)),
              (Names{"a", "b"}));
}

TEST(CsvReader, ABlankLineIsABadRow) {
    for (const std::string blank : {"\n", "  \t\n", "\r\n"}) {
        const std::string text = "1,2\n" + blank + "3,4\n";
        const DataPlace place = expect_problem([&] { read_csv(text); }, DataProblem::blank);
        EXPECT_EQ(place.row, 2);
        EXPECT_EQ(place.line, 2);
        EXPECT_EQ(read_csv(text, zero_bad_rows(2)).values, (Values{1, 2, 0, 0, 3, 4}));
        expect_problem([&] { read_csv("1,2\n3,4\n" + blank); }, DataProblem::blank);
        expect_problem([&] { read_csv(blank + "1,2\n"); }, DataProblem::blank);
        expect_problem([&] { read_csv(blank + "a,b\n1,2\n", named_header); }, DataProblem::blank);
        // In a table of one column it is a missing value.
        expect_problem([&] { read_csv("1\n" + blank + "3\n"); }, DataProblem::blank);
        EXPECT_EQ(read_csv("1\n" + blank + "3\n", zero_bad_rows(1)).values, (Values{1, 0, 3}));
    }
    // Two empty fields are no blank line.
    expect_problem([] { read_csv("1\t2\n\t\n", no_header, '\t'); }, DataProblem::missing);
}

TEST(CsvReader, ReadsQuotedFields) {
    const auto reader = open_csv(
        in_memory("\"a, \"\"b\"\"\",\"c d\",e\r\n\"1\",\" 2 \",3\n4,5,\"6\"\n"), ',', named_header);
    EXPECT_EQ(column_names(reader->schema()), (Names{"a, \"b\"", "c d", "e"}));
    EXPECT_EQ(read_all(*reader).values, (Values{1, 2, 3, 4, 5, 6}));
}

// What one row holds decides of no other: an open quote would take in the rows up to the next one,
// here that of six feet two.
TEST(CsvReader, EndsARowWithItsLine) {
    TableOptions options = no_header;
    options.columns = {"1"};
    const std::string text = "\",1\n-,2\n6'2\",3\n-,4\n";
    expect_problem([&] { read_csv(text, options); }, DataProblem::quotes);
    // Rows would become a name, which is published.
    for (const BadRows bad_rows : {BadRows::error, BadRows::zero}) {
        expect_problem([&] { read_csv("a,\"b\n1,2\",3\n", with_header(Header::yes, bad_rows)); },
                       DataProblem::quotes);
    }
    options.bad_rows = BadRows::zero;
    EXPECT_EQ(read_csv(text, options).values, (Values{0, 2, 3, 4}));
}

TEST(CsvReader, TrimsBlanksAndTakesALeadingPlus) {
    EXPECT_EQ(read_csv(" 1 ,\t+2\t, +3e0\n").values, (Values{1, 2, 3}));
    TableOptions options;
    options.columns = {" b", "a"};
    EXPECT_EQ(column_names(schema_of(" a ,\" b\t\"\n", options)), (Names{"b", "a"}));
}

TEST(CsvReader, ReadsTruthValues) {
    const Values truths = {1, 0, 1, 0};
    EXPECT_EQ(read_csv("true,False\n \"TRUE\" ,FALSE\n").values, truths);
    TableOptions options = no_header;
    options.decimal = ',';
    EXPECT_EQ(read_csv("True;false\nTRUE;0\n", options, ';').values, truths);
    for (const std::string other : {"T", "yes", "truer", "fals", "true false"}) {
        expect_problem([&] { read_csv("0\n" + other + "\n"); }, DataProblem::unreadable);
    }
    expect_problem([] { read_csv("0\n1true\n"); }, DataProblem::unit);
}

TEST(CsvReader, ReadsTabSeparatedValues) {
    EXPECT_EQ(read_csv("x\ty\n1\t2\n3\t 4\n", named_header, '\t').values, (Values{1, 2, 3, 4}));
    // A field that is empty at the front must not vanish with the blanks.
    EXPECT_EQ(read_csv("1\t2\n\t4\n5\t6\n", zero_bad_rows(2), '\t').values,
              (Values{1, 2, 0, 0, 5, 6}));
    expect_error<DataError>([] { read_csv("1\t2\n\t4\n", no_header, '\t'); },
                            {"row 2", "column 0", "missing"});
}

TEST(CsvReader, TakesAnyDelimiterThatIsNoPartOfANumber) {
    for (const char delimiter : {';', '|', ' ', ':', '\x1f'}) {
        TableOptions options = no_header;
        options.delimiter = delimiter;
        const std::string text = std::string("1") + delimiter + "2\n3" + delimiter + "\"4\"\n";
        EXPECT_EQ(read_csv(text, options).values, (Values{1, 2, 3, 4}));
    }
    for (const char delimiter : {'1', 'e', '.', '-', '+', '"', '\n', '\r', '\0'}) {
        TableOptions options = no_header;
        options.delimiter = delimiter;
        expect_error<UsageError>([&] { read_csv("1\n", options); }, {"delimiter"});
    }
}

TEST(CsvReader, NeverGuessesAHeader) {
    for (const std::string text : {"a,b\n1,2\n", "1,2\n3,4\n", ""}) {
        try {
            read_csv(text, {});
            ADD_FAILURE();
        } catch (const UndeclaredError& error) {
            EXPECT_EQ(error.what_is_missing(), Undeclared::header);
        }
    }
    TableOptions indices;
    indices.columns = {"0"};
    indices.column_scales = {{"0", 2.0}};
    expect_error<UndeclaredError>([&] { read_csv("1,2\n", indices); }, {"header"});
    EXPECT_EQ(read_csv("1,2\n3,4\n", named_header).values, (Values{3, 4}));
    EXPECT_TRUE(column_names(schema_of("a,b\n3,4\n", no_header)).empty());
    // The unnamed index column that pandas writes.
    EXPECT_EQ(column_names(schema_of(",b\n1,2\n", named_header)), (Names{"", "b"}));
}

TEST(CsvReader, NamesDeclareAHeader) {
    TableOptions options;
    options.columns = {"b"};
    EXPECT_EQ(read_csv("a,b\n1,2\n", options).values, (Values{2}));
    options = {};
    options.column_scales = {{"b", 2.0}};
    EXPECT_EQ(read_csv("a,b\n1,2\n", options).values, (Values{1, 1}));
    options.header = Header::no;
    expect_error<UsageError>([&] { read_csv("1,2\n", options); }, {"'b'", "names none"});
}

// The first row of a table without a header is a person's, and never column names.
TEST(CsvReader, AFirstRowOfTextIsARow) {
    const auto reader = open_csv(in_memory("Smith,secret\n1,2\n"), ',', zero_bad_rows(2));
    EXPECT_TRUE(reader->schema().empty());
    EXPECT_EQ(read_all(*reader).values, (Values{0, 0, 1, 2}));
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
        DataProblem problem;
        std::string text;
    };
    for (const Case& bad :
         {Case{"", DataProblem::missing, "missing"}, Case{"NA", DataProblem::missing, "missing"},
          Case{"NaN", DataProblem::not_a_number, "NaN"},
          Case{"-inf", DataProblem::infinite, "infinite"},
          Case{"Infinity", DataProblem::infinite, "infinite"},
          Case{"s3cret", DataProblem::unreadable, "not a number"},
          Case{"77x", DataProblem::unit, "not a number"},
          Case{"77 %", DataProblem::percent, "percent sign"},
          Case{"n.a.", DataProblem::missing_word, "missing value"},
          Case{"7 777", DataProblem::thousands, "thousands separators"},
          Case{"7 7", DataProblem::unreadable, "not a number"},
          Case{"+-77", DataProblem::unreadable, "not a number"},
          Case{"0x77", DataProblem::unreadable, "not a number"},
          Case{"1e777", DataProblem::out_of_range, "too large"},
          Case{"77\"", DataProblem::unit, "not a number"},
          Case{"\"7,777\"", DataProblem::thousands, "thousands"},
          Case{"7;x", DataProblem::unreadable, "not a number"}}) {
        const std::string text = "a,\"b\tb\"\n1,x2\n3," + bad.field + "\n5,6\n";
        const std::string good = std::string(text).replace(text.find('x'), 1, "");
        expect_error<DataError>(
            [&] { read_csv(good, named_header); },
            {"memory: row 2 (line 3), column 1 'b?b' (counted from 0)", bad.text},
            {"s3cret", "77", "--"});
        const DataPlace place = expect_problem([&] { read_csv(good, named_header); }, bad.problem);
        EXPECT_EQ(place.row, 2);
        EXPECT_EQ(place.line, 3);
        EXPECT_EQ(place.column, 1);
        EXPECT_EQ(place.column_name, "b\tb");
        EXPECT_EQ(read_csv("1,2\n3," + bad.field + "\n5,6\n", zero_bad_rows(2)).values,
                  (Values{1, 2, 0, 0, 5, 6}))
            << bad.field;
    }
}

TEST(CsvReader, KnowsTabsInAField) {
    expect_problem([] { read_csv("1\t2\n"); }, DataProblem::tabs);
    expect_problem([] { read_csv("a,b\n1,x\ty\n", named_header); }, DataProblem::tabs);
    expect_problem([] { read_csv("1,\tx\n"); }, DataProblem::unreadable);  // but blanks around it
}

TEST(CsvReader, KnowsSemicolonsAndThousandsByTheRow) {
    expect_problem([] { read_csv("1,5;2,5\n"); }, DataProblem::semicolons);
    expect_problem([] { read_csv("1.5;2.5\n"); }, DataProblem::semicolons);
    expect_problem([] { read_csv("1,2\n1,5;2,5\n"); }, DataProblem::semicolons);
    expect_problem([] { read_csv("a;b\n1;2\n", named_header); }, DataProblem::semicolons);
    EXPECT_EQ(read_csv("\"a;b\"\n1\n2\n", named_header).values, (Values{1, 2}));
    expect_problem([] { read_csv("a;b\n1;2\n", with_header(Header::yes, BadRows::zero)); },
                   DataProblem::semicolons);
    expect_problem([] { read_csv("a,b\n1,234,5\n", named_header); }, DataProblem::thousands);
    expect_problem([] { read_csv("a,b\n\"1,234\",5\n", named_header); }, DataProblem::thousands);
    expect_problem([] { read_csv("a,b\n1,2,3\n", named_header); }, DataProblem::width);
}

TEST(CsvReader, KnowsAnotherDelimiterByTheFirstLine) {
    const auto expect = [](DataProblem problem, std::string_view text, Header header) {
        expect_problem([&] { read_csv(text, with_header(header)); }, problem);
    };
    expect(DataProblem::tabs, "a\tb\n1\t2\n", Header::yes);
    expect(DataProblem::bars, "a|b\n1|2\n", Header::yes);
    expect(DataProblem::bars, "1|2\n", Header::no);
    expect(DataProblem::semicolons, "\"a\";\"b\"\n1;2\n", Header::yes);
    expect(DataProblem::semicolons, "\"a\";\"b\"\n1;2\n", Header::no);
    expect(DataProblem::semicolons, "a;b;c, d\n1;2;3\n", Header::no);
    // A column that is not there.
    TableOptions options = with_header(Header::yes);
    options.columns = {"b"};
    const auto read = [&] { read_csv("a;b;c, d\n1;2;3,5\n", options); };
    expect_error<UndeclaredError>(read, {"no column 'b'", "perhaps the delimiter is ';'"},
                                  {"UTF-8", "there are"});
    options.header = Header::no;
    options.columns = {"2"};
    expect_error<UndeclaredError>([&] { read_csv("1;2;3,5\n", options); },
                                  {"no column '2'", "perhaps the delimiter is ';'"});
    // Nothing of a line that may be a row, where rows are not told of.
    options = with_header(Header::undeclared, BadRows::zero);
    options.columns = {"b"};
    expect_error<UndeclaredError>(read, {"no column 'b'", "declare the header"}, {"';'"});
}

TEST(CsvReader, KnowsTheLineThatTellsExcelTheDelimiter) {
    for (const Header header : {Header::yes, Header::no}) {
        for (const std::string line : {"sep=;\n", "\xef\xbb\xbfsep=;\r\n", "sep=;;\n"}) {
            TableOptions options = with_header(header);
            const auto read = [&] { read_csv(line + "1;2\n", options); };
            expect_problem(read, DataProblem::separator_line);
            options.delimiter = ';';
            expect_problem(read, DataProblem::separator_line);
            options.dimension = 2;
            expect_problem(read, DataProblem::separator_line);
        }
    }
    // Anywhere else it is text, and where rows are not told of it is a row.
    expect_problem([] { read_csv("1\nsep=\n"); }, DataProblem::unreadable);
    TableOptions zero = zero_bad_rows(2);
    zero.delimiter = ';';
    EXPECT_EQ(read_csv("sep=;\n1;2\n", zero).values, (Values{0, 0, 1, 2}));
}

TEST(CsvReader, DecimalCommas) {
    TableOptions options = with_header(Header::no);
    options.delimiter = ';';
    expect_problem([&] { read_csv("1;2\n3;4,5\n", options); }, DataProblem::decimal_comma);
    // Three decimals, or a thousand: both are told.
    expect_problem([&] { read_csv("3;1,234\n", options); }, DataProblem::decimal_comma);
    expect_problem([&] { read_csv("3;1,234,567\n", options); }, DataProblem::thousands);
    options.decimal = ',';
    EXPECT_EQ(read_csv("1,5;-2\n +,25 ;\"1,25e1\"\n3;1,234\n", options).values,
              (Values{1.5, -2.0, 0.25, 12.5, 3.0, 1.234}));
    // A point is no mark then: 1.234 may be twelve hundred and thirty-four.
    for (const char* const row : {"1.234;2\n", "1.5;2\n"}) {
        expect_problem([&] { read_csv(row, options); }, DataProblem::decimal_point);
    }
    for (const char* const row : {"1,2,3;2\n", "x;2\n"}) {
        expect_problem([&] { read_csv(row, options); }, DataProblem::unreadable);
    }
    for (const char* const row : {"1.234,5;2\n", "1.234.567;2\n", "1 234;2\n", "1'234,5;2\n"}) {
        expect_problem([&] { read_csv(row, options); }, DataProblem::thousands);
    }
    expect_problem([&] { read_csv("NA;2\n", options); }, DataProblem::missing);
    expect_problem([&] { read_csv(".;2\n", options); }, DataProblem::missing);
    options.bad_rows = BadRows::zero;
    options.dimension = 2;
    const std::string long_one = "0," + std::string(2000, '1');
    EXPECT_EQ(read_csv("1.5;2\n" + long_one + ";2\n1,5;2\n", options).values,
              (Values{0, 0, 0, 0, 1.5, 2}));
    options.delimiter = std::nullopt;
    EXPECT_THROW(read_csv("1;2\n", options), UsageError);
    options = with_header(Header::no);
    options.decimal = '\'';
    EXPECT_THROW(read_csv("1\n", options), UsageError);
}

TEST(CsvReader, CountsLinesWhateverTheirEnd) {
    for (const std::string end : {"\n", "\r\n"}) {
        expect_error<DataError>([&] { read_csv("1,2" + end + "\"3\"," + "4" + end + "5,x" + end); },
                                {"row 3 (line 3)"});
    }
}

TEST(CsvReader, ReportsTheWrongNumberOfFieldsEvenOutsideTheSelection) {
    TableOptions options = no_header;
    options.columns = {"0"};
    for (const auto& [row, found] : {std::pair<std::string, std::string>{"3", "1 field,"},
                                     {"3,4,5", "3 fields"},
                                     {"3,4,", "3 fields"}}) {
        const std::string text = "1,2\n" + row + "\n5,6\n";
        options.bad_rows = BadRows::error;
        options.dimension.reset();
        expect_error<DataError>([&] { read_csv(text, options); },
                                {"row 2 (line 2)", found, "2 columns"});
        EXPECT_EQ(expect_problem([&] { read_csv(text, options); }, DataProblem::width).row, 2);
        options.dimension = 2;
        options.bad_rows = BadRows::zero;
        EXPECT_EQ(read_csv(text, options).values, (Values{1, 0, 5}));
    }
}

TEST(CsvReader, TakesADeclaredWidth) {
    TableOptions options = no_header;
    options.dimension = 2;
    EXPECT_EQ(read_csv("1,2\n", options).values, (Values{1, 2}));
    EXPECT_EQ(expect_problem([&] { read_csv("1\n1,2\n", options); }, DataProblem::width).row, 1);
    options.header = Header::yes;
    EXPECT_EQ(read_csv("a,b\n1,2\n", options).values, (Values{1, 2}));
    expect_error<UsageError>([&] { read_csv("a\n1\n", options); }, {"names 1 column", "2"});
    for (const std::size_t bad : {std::size_t{0}, std::size_t{1'000'001}}) {
        options.dimension = bad;
        expect_error<UsageError>([&] { read_csv("a\n1\n", options); }, {"from 1 to 1000000"});
    }
}

TEST(CsvReader, TakesADivisionThatOverflowsAsTheGreatestDouble) {
    TableOptions options = no_header;
    options.scale = 0.5;
    EXPECT_EQ(read_csv("1,2\n3,-1.7e308\n", options).values,
              (Values{2, 4, 6, std::numeric_limits<double>::lowest()}));
}

TEST(CsvReader, KeepsSubnormalAndHugeValues) {
    EXPECT_EQ(
        read_csv("5e-324,1.7976931348623157e308\n").values,
        (Values{std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()}));
}

TEST(CsvReader, ATableWithoutRowsIsATable) {
    for (const std::string text : {"a,b", "a,b\n",
                                   "\xef\xbb\xbf"
                                   "a,b\r\n"}) {
        for (const BadRows bad_rows : {BadRows::error, BadRows::zero}) {
            const auto reader = open_csv(in_memory(text), ',', with_header(Header::yes, bad_rows));
            EXPECT_EQ(reader->columns(), 2U);
            EXPECT_EQ(read_all(*reader).rows, 0U);
        }
    }
    EXPECT_EQ(read_csv("", zero_bad_rows(2)).rows, 0U);
    TableOptions options = no_header;
    options.dimension = 2;
    EXPECT_EQ(read_csv("\xef\xbb\xbf", options).rows, 0U);
    options.dimension.reset();
    options.columns = {"3"};
    EXPECT_EQ(read_csv("", options).rows, 0U);
    // Where nothing says how many columns there are, it is none.
    for (const std::string text : {"", "\xef\xbb\xbf"}) {
        try {
            read_csv(text);
            ADD_FAILURE();
        } catch (const UndeclaredError& error) {
            EXPECT_EQ(error.what_is_missing(), Undeclared::width);
        }
        expect_error<DataError>([&] { read_csv(text, named_header); },
                                {"memory", "empty", "header"});
    }
}

TEST(CsvReader, TellsWhenQuotesHideTheEndOfARecord) {
    for (const std::string text : {"1,2\n3,\"4\n5,6\n", "1,2\n3,\"4\"5\n5,6\n", "1,2\n3,4\n\"5"}) {
        const DataPlace place = expect_problem([&] { read_csv(text); }, DataProblem::quotes);
        EXPECT_EQ(place.line, text.back() == '5' ? 3 : 2);
    }
    // A quote that begins a field of 17 MiB is not waited for until the memory is full.
    const std::string long_field(17U << 20U, '2');
    expect_problem([&] { read_csv("1,\"" + long_field); }, DataProblem::too_long);
    expect_problem([&] { read_csv("1,2\n1,\"" + long_field); }, DataProblem::too_long);
    expect_problem([&] { read_csv("a,\"" + long_field + "\"\n1,2\n", named_header); },
                   DataProblem::too_long);
}

TEST(CsvReader, TakesLongFieldsInTheOtherColumns) {
    TableOptions options = no_header;
    options.columns = {"0"};
    const std::string text =
        "1," + std::string(5U << 20U, 'x') + "\n2,\"" + std::string(3U << 20U, ',') + "\"\n3,\n";
    EXPECT_EQ(read_csv(text, options).values, (Values{1, 2, 3}));
}

TEST(CsvReader, RecognisesOtherEncodings) {
    for (const TableOptions& options : {no_header, named_header}) {
        expect_error<DataError>(
            [&] {
                read_csv(std::string_view("\xff\xfe"
                                          "1\0",
                                          4),
                         options);
            },
            {"UTF-16", "iconv"});
        expect_error<DataError>([&] { read_csv(std::string_view("1\0\n\0", 4), options); },
                                {"UTF-16LE", "iconv"});
        expect_error<DataError>([&] { read_csv(std::string_view("\0001\0\n", 4), options); },
                                {"UTF-16BE", "iconv"});
        expect_error<DataError>([&] { read_csv(gzip("1,2\n"), options); }, {"gzip", "gunzip"});
    }
}

TEST(CsvReader, RefusesANameThatIsNoUtf8) {
    expect_error<DataError>(
        [] {
            read_csv(
                "a,gr\xF6\xDF"
                "e\n1,2\n",
                named_header);
        },
        {"column 1", "'gr??e'", "iconv"});
    // Called by its place in a line that nobody said is a header, and that may be a row.
    TableOptions perhaps;
    perhaps.bad_rows = BadRows::zero;
    perhaps.columns = {"a", "1"};
    expect_error<DataError>(
        [&] {
            read_csv(
                "a,gr\xF6\xDF"
                "e\n1,2\n",
                perhaps);
        },
        {"column 1"}, {"gr"});
    // Of a column that is not taken it says nothing.
    TableOptions first = named_header;
    first.columns = {"a"};
    EXPECT_NO_THROW(
        read_csv("a,gr\xF6\xDF"
                 "e\n1,2\n",
                 first));
}

TEST(CsvReader, RefusesMoreColumnsThanItCanUse) {
    constexpr std::size_t most = 1'000'000;
    const auto line = [](const char* first, std::size_t columns) {
        return first + std::string(columns - 1, ',') + '\n';
    };
    const auto first_of = [&](std::size_t columns, const TableOptions& file) {
        TableOptions options = file;
        options.columns = {"0"};
        return read_csv(line("7", columns) + line("8", columns), options);
    };
    for (const TableOptions& options : {no_header, named_header}) {
        EXPECT_NO_THROW(first_of(most, options));
        expect_error<DataError>([&] { first_of(most + 1, options); }, {"1000000"});
    }
}

TEST(CsvReader, RefusesABlockWithoutRoomForARow) {
    const auto reader = open_csv(in_memory("1,2\n"), ',', no_header);
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
    const TableOptions options = with_header(Header::yes, BadRows::zero);
    std::string text = "a,b,c\r\n";
    for (int i = 0; i < 2000; ++i) {
        text += std::to_string(i) + ",\"" + std::to_string(i * 0.25) + "\"," +
                (i % 7 == 3 ? "x" : "1e-3") + (i % 2 == 0 ? "\r\n" : "\n\n");
    }
    const Table expected = read_csv(text, options, ',', 5000);
    ASSERT_EQ(expected.rows, 3000U);
    for (const std::size_t block_rows : {1U, 2U, 7U, 2999U, 3000U}) {
        EXPECT_EQ(read_csv(text, options, ',', block_rows).values, expected.values);
    }
    for (const std::size_t step : {1U, 2U, 3U, 1000U}) {
        const auto reader =
            open_csv(std::make_unique<Trickle>(in_memory(text), step), ',', options);
        EXPECT_EQ(read_all(*reader).values, expected.values) << step;
    }
}

TEST(CsvReader, ReadsOneRowOneColumnAndMoreColumnsThanRows) {
    EXPECT_EQ(read_csv("7").values, (Values{7}));
    EXPECT_EQ(read_csv("x\n1\n2\n3\n", named_header).values, (Values{1, 2, 3}));
    EXPECT_EQ(read_csv("1,2,3,4,5\n").values, (Values{1, 2, 3, 4, 5}));
    EXPECT_EQ(read_csv("0,0\n0,0\n").values, (Values{0, 0, 0, 0}));
    EXPECT_EQ(read_csv("1\n\"\"\n3\n", zero_bad_rows(1)).values, (Values{1, 0, 3}));
}

TEST(CsvReader, SurvivesEveryPrefixOfAnIntricateFile) {
    const std::string text = "\xef\xbb\xbf\"a\"\"\",b\r\n\" 1\",+2e1\n\n\"3\",4\r\n,5\nx\"y,6\n";
    for (std::size_t length = 0; length <= text.size(); ++length) {
        try {
            const Table table =
                read_csv(text.substr(0, length), with_header(Header::yes, BadRows::zero));
            EXPECT_GE(length, 1U);
            EXPECT_LE(table.rows, 5U);
        } catch (const DataError&) {
            EXPECT_LT(length, 9U);  // the header is not whole
        }
    }
}

}  // namespace
}  // namespace dpcov::test
