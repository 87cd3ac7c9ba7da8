// Inputs that are hard to read or to stomach. Bad ones end with exit status 3 and leave nothing
// behind; odd but good ones give a finite symmetric matrix. All through the whole program.
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "apps/program.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;

class BadInputTest : public ProgramTest {
protected:
    [[nodiscard]] Outcome estimate(const std::string& input, const Words& more = {},
                                   const std::string& norm_bound = "1") const {
        Words arguments = {"estimate",        input, "--norm-bound", norm_bound, "--rho",  "1",
                           "--insecure-seed", "7",   "--method",     "gauss",    "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const bool declared = std::find(more.begin(), more.end(), "--header") != more.end() ||
                              std::find(more.begin(), more.end(), "--columns") != more.end() ||
                              std::find(more.begin(), more.end(), "--column-scale") != more.end();
        if (input.ends_with(".csv") && !declared) {
            // These tests' headers begin with a letter, their rows with a number.
            const std::string text = has(input) ? read(input) : std::string();
            const bool named =
                !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0;
            arguments.insert(arguments.end(), {"--header", named ? "yes" : "no"});
        }
        return run(arguments);
    }
    [[nodiscard]] bool has(const std::string& name) const {
        const Words there = files();
        return std::find(there.begin(), there.end(), name) != there.end();
    }

    /// Expects exit status 3, every one of `told` in the message, and no new file.
    void expect_bad_data(const std::string& input, const Words& told,
                         const Words& more = {}) const {
        Words options = {"--output", "m.csv", "--record", "r.json"};
        options.insert(options.end(), more.begin(), more.end());
        const Words before = files();
        const Outcome outcome = estimate(input, options);
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        expect_told(outcome.err, told);
        EXPECT_EQ(files(), before);
    }

    /// Expects a finite symmetric d x d matrix on standard output, which it returns.
    std::string expect_matrix(std::size_t d, const Outcome& outcome) const {
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const auto matrix = parse_csv(outcome.out);
        EXPECT_EQ(matrix.size(), d);
        for (std::size_t i = 0; i < matrix.size(); ++i) {
            EXPECT_EQ(matrix[i].size(), d);
            for (std::size_t j = 0; j < matrix[i].size(); ++j) {
                EXPECT_TRUE(std::isfinite(matrix[i][j]));
                EXPECT_EQ(matrix[i][j], matrix.at(j).at(i));
            }
        }
        return outcome.out;
    }

    /// The seeded release of a table given as CSV text on standard input.
    [[nodiscard]] std::string released(const std::string& table, const std::string& norm_bound) {
        write("table.csv", table);
        const Outcome outcome = estimate("table.csv", {"--header", "no"}, norm_bound);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    }
};

TEST_F(BadInputTest, EmptyFile) {
    write("e.csv", "");
    write("e.npy", "");
    expect_bad_data("e.csv", {"e.csv"}, {"--header", "yes"});
    const Outcome headless = estimate("e.csv", {"--header", "no"});
    EXPECT_EQ(headless.status, 2) << "nothing says how many columns there are: " << headless.err;
    expect_told(headless.err, {"e.csv", "--dimension"});
    expect_bad_data("e.npy", {"e.npy"});
}

TEST_F(BadInputTest, HeaderAndNoRows) {
    write("h.csv", "a,b\n");
    expect_bad_data("h.csv", {"no rows"}, {"--header", "yes"});
    write("h.npy", npy(0, 2, {}));
    expect_bad_data("h.npy", {"rows"});
}

TEST_F(BadInputTest, OneRowOneColumnAndMoreColumnsThanRows) {
    write("one.csv", "a,b\n0.5,0.5\n");
    expect_matrix(2, estimate("one.csv"));
    write("narrow.csv", "a\n0.5\n0.25\n");
    expect_matrix(1, estimate("narrow.csv"));
    write("wide.npy", npy(3, 20, some_values(3, 20)));
    expect_matrix(20, estimate("wide.npy", {}, "5"));
    write("single.csv", "0.5\n");
    expect_matrix(1, estimate("single.csv", {"--header", "no"}));
}

TEST_F(BadInputTest, AllZerosWithEveryMethod) {
    write("z.csv", "0,0\n0,0\n0,0\n");
    for (const nlohmann::json& method : list_methods()) {
        SCOPED_TRACE(method.at("name"));
        Words arguments = {"estimate",     "z.csv", "--header", "no",
                           "--norm-bound", "1",     "--method", method.at("name")};
        arguments.emplace_back(method.at("zcdp").get<bool>() ? "--rho" : "--epsilon");
        arguments.emplace_back("1");
        if (method.at("needs_clip").get<bool>()) {
            arguments.insert(arguments.end(), {"--clip", "0.5"});
        }
        expect_matrix(2, run(arguments));
    }
}

TEST_F(BadInputTest, BadCellIsNamedByRowAndColumn) {
    for (const std::string bad : {"nan", "inf", "-inf", "", "1e999"}) {
        SCOPED_TRACE(bad);
        write("t.csv", "a,height\n0.1,0.2\n0.3," + bad + "\n0.1,0.1\n");
        expect_bad_data("t.csv", {"row 2", "height", "--bad-rows zero"});
    }
    // A column of text would make every row a zero.
    write("t.csv", "a,height\n0.1,0.2\n0.3,abc\n0.1,0.1\n");
    expect_bad_data("t.csv", {"row 2", "height", "--columns"});
    EXPECT_EQ(estimate("t.csv").err.find("zero"), std::string::npos);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    write("t.npy", npy(3, 2, {0.1, 0.2, 0.3, 0.1, 0.4, nan}));
    expect_bad_data("t.npy", {"row 3", "1", "--bad-rows zero"});
    write("t.npy", npy(1, 2, {-std::numeric_limits<double>::infinity(), 0.2}));
    expect_bad_data("t.npy", {"row 1", "0"});
}

/// A fill is for missing values: it would take the place of every such number or word.
TEST_F(BadInputTest, NoFillIsAdvisedForNumbersInAnotherFormNorForText) {
    const Words german = {"--header", "yes", "--delimiter", ";", "--decimal", ","};
    const auto expect_advice = [&](const std::string& field, const Words& told, bool fill) {
        SCOPED_TRACE(field);
        write("t.csv", "id;wage\n1;2,5\n2;" + field + "\n");
        expect_bad_data("t.csv", {"row 2 (line 3), column 1 'wage'"}, german);
        const std::string message = estimate("t.csv", german).err;
        expect_told(message, told);
        EXPECT_EQ(message.find("fill") != std::string::npos, fill) << message;
        EXPECT_EQ(message.find(field), std::string::npos) << message;
    };
    for (const std::string number :
         {"7.234,50", "7 234", "7'234", "7\xc2\xa0\x32\x33\x34", "7.234.567", "7.234,50 EUR"}) {
        expect_advice(number, {"it has thousands separators; write the numbers without them"},
                      false);
    }
    expect_advice("7 %", {"it has a percent sign; write the numbers without it"}, false);
    expect_advice("7%", {"it has a percent sign; write the numbers without it"}, false);
    expect_advice("7 kg", {"a unit beside the number; write the numbers alone"}, false);
    expect_advice(
        "blue", {"columns NAME=VALUE", "leave it out, of --columns", "write it as numbers"}, false);
    expect_advice("n.a.", {"perhaps a word for a missing value", "a fill with --bounds"}, true);
    expect_advice("NA", {"the value is missing", "a fill with --bounds"}, true);
}

// As an empty field, whose message is the same.
TEST_F(BadInputTest, ACodeForAMissingValueNeedsAFill) {
    write("bounds.csv", "name,lower,upper,fill,missing\nwage,0,10,,-99 7\n");
    for (const std::string code : {"-99", "7", ""}) {
        write("t.csv", "id,wage\n1,2\n2," + code + "\n");
        expect_bad_data("t.csv",
                        {"row 2 (line 3), column 1 'wage' (counted from 0): the value is missing; "
                         "correct the row, take such rows as zero vectors with --bad-rows zero, or "
                         "give the column a fill with --bounds"},
                        {"--bounds", "bounds.csv"});
    }
    write("bounds.csv", "name,lower,upper,fill,missing\nwage,0,10,,-99 nan\n");
    expect_bad_data("t.csv", {"bounds.csv: line 2: the code for missing values of column 'wage'"},
                    {"--bounds", "bounds.csv"});
}

TEST_F(BadInputTest, AnotherDelimiterIsNamed) {
    const auto expect_named = [&](const std::string& text, const std::string& option) {
        SCOPED_TRACE(text);
        write("t.csv", text);
        for (const std::string header : {"yes", "no"}) {
            expect_bad_data("t.csv", {"perhaps the delimiter is", option}, {"--header", header});
        }
    };
    expect_named("Nr;Alter;L\xc3\xb6hne\n1;30;7,5\n", "--delimiter ';'");
    expect_named("\"Nr\";\"Alter\"\n1;30\n", "--delimiter ';'");
    expect_named("Nr\tAlter\n1\t30\n", "--delimiter tab");
    expect_named("Nr|Alter\n1|30\n", "--delimiter '|'");
}

TEST_F(BadInputTest, LinesThatAreNobodys) {
    for (const std::string header : {"a,b\n", ""}) {
        write("t.csv", header + "0.1,0.2\n0.3,0.4\n\n");
        expect_bad_data("t.csv",
                        {"row 3", "the line is blank; a blank line is no person: remove it"});
        EXPECT_EQ(estimate("t.csv").err.find("--bad-rows"), std::string::npos);
    }
    write("t.csv", "a\n0.1\n\n");  // of one column: it may be a missing value
    expect_bad_data("t.csv", {"row 2", "the line is blank", "remove it", "a fill with --bounds"});
    for (const std::string header : {"yes", "no"}) {
        write("t.csv", "sep=;\n0.1;0.2\n");
        expect_bad_data("t.csv", {"line 1", "Excel", "remove it"}, {"--header", header});
        expect_bad_data("t.csv", {"line 1", "Excel", "remove it"},
                        {"--header", header, "--delimiter", ";"});
    }
}

TEST_F(BadInputTest, RaggedRow) {
    write("t.csv", "a,b\n0.1,0.2\n0.3\n");
    expect_bad_data("t.csv", {"row 2", "1 field", "2 columns"});
    write("t.csv", "a,b\n0.1,0.2\n0.3,0.1,0.1\n");
    expect_bad_data("t.csv", {"row 2", "3 fields", "2 columns"});
}

// A bad cell far behind the first block still stops the run before anything is released.
TEST_F(BadInputTest, BadCellInALaterBlock) {
    std::vector<double> values = some_values(20000, 2);
    values.back() = std::numeric_limits<double>::quiet_NaN();
    write("t.npy", npy(20000, 2, values));
    expect_bad_data("t.npy", {"row 20000"});
}

TEST_F(BadInputTest, BadRowsZeroTakesTheRowAsZeros) {
    const std::string expected = released("0.1,0.2\n0,0\n0,0\n0.3,0.4\n", "1");
    write("t.csv", "0.1,0.2\nnan,0.5\n0.7\n0.3,0.4\n");
    EXPECT_EQ(estimate("t.csv", {"--header", "no", "--dimension", "2", "--bad-rows", "zero"}).out,
              expected);
    write("t.csv", "0.1,0.2\n0.3,0.4\n");  // without them it is another release: they count in n
    EXPECT_NE(estimate("t.csv", {"--header", "no", "--dimension", "2", "--bad-rows", "zero"}).out,
              expected);
}

TEST_F(BadInputTest, NormsAtTheBoundAndOneUlpAbove) {
    // |(3, 4)| = 5 exactly; the next double after 4 makes it longer, and it is clipped to the
    // bound.
    EXPECT_EQ(released("3,4\n1,2\n", "5"), released("3,4.000000000000001\n1,2\n", "5"));
    EXPECT_NE(released("3,4\n1,2\n", "5"), released("3,3.9\n1,2\n", "5"));
}

TEST_F(BadInputTest, HugeValuesAreClipped) {
    // The norm overflows a double; the direction is that of (3, 4) all the same.
    EXPECT_EQ(released("3,4\n0,0\n", "5"), released("1.2e308,1.6e308\n0,0\n", "5"));
    EXPECT_EQ(released("5,0\n0,0\n", "5"), released("1.7976931348623157e308,0\n0,0\n", "5"));
    // So they are where a division by a scale takes them beyond all doubles.
    const auto scaled = [&](const std::string& value) {
        write("table.csv", value + ",1e-13\n0,0\n");
        const Outcome outcome = estimate("table.csv", {"--header", "no", "--scale", "1e-12"}, "5");
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    };
    EXPECT_EQ(scaled("1e300"), scaled("1e290"));
}

TEST_F(BadInputTest, SubnormalsAreAsGoodAsZero) {
    EXPECT_EQ(released("0,0\n0.5,0.5\n", "1"), released("5e-324,-5e-324\n0.5,0.5\n", "1"));
}

TEST_F(BadInputTest, WrongKindOfArray) {
    std::string complex = npy(2, 2, {1, 2, 3, 4});
    complex.replace(complex.find("<f8"), 3, "<c8");
    write("t.npy", complex);
    expect_bad_data("t.npy", {"t.npy", "float64"});
    write("t.npy", npy(2, 2, {1, 2, 3}));  // one value short
    expect_bad_data("t.npy", {"t.npy"});
    write("t.npy", "this is not an array");
    expect_bad_data("t.npy", {"t.npy"});
}

TEST_F(BadInputTest, TruncatedGzip) {
    const std::string table = csv(4, some_values(500, 4));
    std::string packed(compressBound(table.size()) + 64, '\0');
    z_stream stream{};
    constexpr int gzip_window = 15 + 16;
    ASSERT_EQ(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                           Z_DEFAULT_STRATEGY),
              Z_OK);
    std::string copy = table;
    stream.next_in = reinterpret_cast<Bytef*>(copy.data());
    stream.avail_in = static_cast<uInt>(copy.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);

    write("whole.csv.gz", packed);
    expect_matrix(4, estimate("whole.csv.gz", {"--header", "no"}, "2"));
    write("t.csv.gz", packed.substr(0, packed.size() / 2));
    expect_bad_data("t.csv.gz", {"t.csv.gz"}, {"--header", "no"});
    write("t.csv.gz", packed.substr(0, packed.size() - 4));  // only the length is cut off
    expect_bad_data("t.csv.gz", {"t.csv.gz"}, {"--header", "no"});
}

TEST_F(BadInputTest, MalformedColumnScales) {
    write("t.csv", "a,b\n0.5,0.5\n");
    for (const std::string scales :
         {"", "name,scale\n", "a\n", "a,0\n", "a,-1\n", "a,x\n", "a,nan\n", "a,1\na,2\n"}) {
        SCOPED_TRACE(scales);
        write("s.csv", scales);
        expect_bad_data("t.csv", {"s.csv"}, {"--column-scale", "s.csv"});
    }
}

TEST_F(BadInputTest, AbsentInputIsADeviceFailure) {
    const Outcome outcome = estimate("absent.csv", {"--output", "m.csv"});
    EXPECT_EQ(outcome.status, 5) << outcome.err;
    expect_told(outcome.err, {"absent.csv"});
    EXPECT_TRUE(files().empty());
}

// Scaling by S and a bound of B is the same as no scaling and a bound of B S where S is a power of
// two, up to the units of the result.
TEST_F(BadInputTest, ScalesDivide) {
    write("t.csv", "a,b\n2,1\n-1,0.5\n");
    write("halved.csv", "a,b\n1,0.5\n-0.5,0.25\n");
    write("s.csv", "name,scale\na,2\n\"b\", 2\n");
    const std::string expected = expect_matrix(2, estimate("halved.csv"));
    EXPECT_EQ(estimate("t.csv", {"--scale", "2"}).out, expected);
    EXPECT_EQ(estimate("t.csv", {"--column-scale", "s.csv"}).out, expected);
    EXPECT_NE(estimate("t.csv").out, expected);
}

TEST_F(BadInputTest, ColumnsAreChosenByNameOrIndex) {
    write("t.csv", "a,b,c\n0.5,0.1,9\n0.2,0.3,9\n");
    write("chosen.csv", "b,a\n0.1,0.5\n0.3,0.2\n");
    const std::string expected = expect_matrix(2, estimate("chosen.csv"));
    EXPECT_EQ(estimate("t.csv", {"--columns", "b,a"}).out, expected);
    EXPECT_EQ(estimate("t.csv", {"--columns", "1,0", "--header", "yes"}).out, expected);
}

}  // namespace
}  // namespace dpcov::test
