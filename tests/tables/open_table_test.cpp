#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tables/lower_case.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Values = std::vector<double>;
using Names = std::vector<std::string>;

const TableOptions no_names = {.header = Header::no};

Table read_table(const std::string& path, const TableOptions& options = {}) {
    return read_all(*open_table(path, options));
}

/// For the kinds of files that need it, that there is no header.
bool is_text(const std::string& name) {
    return name.find(".csv") != std::string::npos || name.find(".tsv") != std::string::npos ||
           name.find(".CSV") != std::string::npos;
}

TableOptions options_for(const std::string& name) {
    return is_text(name) ? no_names : TableOptions{};
}

TEST(OpenTable, ChoosesTheReaderByTheName) {
    const TemporaryFolder folder;
    const std::string npy_file =
        npy(npy_dictionary("<f8", false, "(1, 2)"), encode(1.0, false) + encode(2.0, false));
    const std::string idx_file("\0\0\x08\x02\0\0\0\1\0\0\0\2\1\2", 14);
    for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"a.csv", "1,2\n"},
                                      {"a.CSV", "1,2\n"},
                                      {"a.tsv", "1\t2\n"},
                                      {"a.npy", npy_file},
                                      {"a-idx2-ubyte", idx_file}}) {
        write_file(folder / name, bytes);
        EXPECT_EQ(read_table(folder / name, options_for(name)).values, (Values{1, 2})) << name;
        write_file(folder / (name + ".gz"), gzip(bytes));
        EXPECT_EQ(read_table(folder / (name + ".gz"), options_for(name)).values, (Values{1, 2}))
            << name;
    }
}

TEST(OpenTable, RefusesUnknownKinds) {
    for (const std::string name : {"a.txt", "a", "a.gz", "csv", "", ".gz"}) {
        expect_error<UndeclaredError>([&] { read_table(name); },
                                      {name, ".npy, .csv, .tsv, .svm or -ubyte"});
    }
}

TEST(OpenTable, SaysWhatReadsAnArchiveOfArrays) {
    for (const std::string name : {"a.npz", "a.NPZ"}) {
        expect_error<UsageError>([&] { read_table(name); }, {name, "'dpcov derive'", "as .npy"},
                                 {"declare"});
    }
}

TEST(OpenTable, SaysHowToTakeFilesOfOtherPrograms) {
    for (const std::string name :
         {"a.parquet", "a.dta", "a.sav", "a.XLSX", "a.feather", "a.arrow", "a.json", "a.json.gz"}) {
        expect_error<UsageError>([&] { read_table(name); },
                                 {name, "CSV, TSV, NPY, LIBSVM and IDX", "export it as CSV",
                                  "to the Python package as a data frame"},
                                 {"declare"});
    }
}

TEST(OpenTable, NamesEveryFormatWhereItKnowsNone) {
    for (const std::string name : {"a.txt", "a.parquet"}) {
        try {
            read_table(name);
            ADD_FAILURE() << name;
        } catch (const UsageError& error) {
            for (const auto& [word, format] : format_words) {
                EXPECT_NE(in_lower_case(error.what()).find(word), std::string::npos)
                    << name << ", " << word;
            }
        }
    }
}

TEST(OpenTable, NamesTheFileThatCannotBeRead) {
    const TemporaryFolder folder;
    for (const std::string kind : {".npy", ".csv", ".tsv.gz", "-ubyte"}) {
        const TableOptions options = options_for(kind);
        expect_error<DeviceError>([&] { read_table(folder / ("none" + kind), options); },
                                  {folder / ("none" + kind), "No such file"});
        std::filesystem::create_directory(folder / ("folder" + kind));
        expect_error<DeviceError>([&] { read_table(folder / ("folder" + kind), options); },
                                  {folder / ("folder" + kind), "Is a directory"});
        write_file(folder / ("empty" + kind), "");
        TableOptions of_empty = options;
        of_empty.header = is_text(kind) ? Header::yes : Header::undeclared;
        expect_error<DataError>([&] { read_table(folder / ("empty" + kind), of_empty); },
                                {folder / ("empty" + kind)});
    }
}

TEST(OpenTable, NamesTheFileThatMayNotBeRead) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may read everything";
    }
    const TemporaryFolder folder;
    write_file(folder / "a.csv", "1,2\n");
    ASSERT_EQ(::chmod((folder / "a.csv").c_str(), 0), 0);
    expect_error<DeviceError>([&] { read_table(folder / "a.csv", no_names); },
                              {folder / "a.csv", "Permission denied"});
}

TEST(OpenTable, ReportsAReadThatFails) {
    // Reading a process's memory at address zero fails with an input/output error.
    const TemporaryFolder folder;
    std::filesystem::create_symlink("/proc/self/mem", folder / "a.csv");
    expect_error<DeviceError>([&] { read_table(folder / "a.csv", no_names); },
                              {folder / "a.csv", "cannot read", "Input/output error"});
}

TEST(OpenTable, ReadsAPipe) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "a.csv").c_str(), 0600), 0);
    std::thread writer([&] { write_file(folder / "a.csv", "1,2\n3,4\n"); });
    EXPECT_EQ(read_table(folder / "a.csv", no_names).values, (Values{1, 2, 3, 4}));
    writer.join();

    ASSERT_EQ(::mkfifo((folder / "a.npy").c_str(), 0600), 0);
    std::thread npy_writer([&] {
        write_file(folder / "a.npy",
                   npy(npy_dictionary("<f8", true, "(1, 1)"), encode(1.0, false)));
    });
    expect_error<DataError>([&] { read_table(folder / "a.npy"); }, {"Fortran", "pipe"});
    npy_writer.join();
}

TEST(OpenTable, ReadsEveryFormatUnderAnyNameAndFromPipes) {
    const TemporaryFolder folder;
    const std::string values = encode(1.0, false) + encode(2.0, false);
    TableOptions svm;
    svm.dimension = 2;
    struct Case {
        Format format;
        std::string bytes;
        TableOptions options;
    };
    for (Case table : {Case{Format::csv, "1,2\n", no_names}, Case{Format::tsv, "1\t2\n", no_names},
                       Case{Format::npy, npy(npy_dictionary("<f8", false, "(1, 2)"), values), {}},
                       Case{Format::idx, std::string("\0\0\x08\x02\0\0\0\1\0\0\0\2\1\2", 14), {}},
                       Case{Format::svm, "7 1:1 2:2\n", svm}}) {
        table.options.format = table.format;
        write_file(folder / "data.npy", table.bytes);  // whatever the name says
        EXPECT_EQ(read_table(folder / "data.npy", table.options).values, (Values{1, 2}));
        write_file(folder / "data.gz", gzip(table.bytes));
        EXPECT_EQ(read_table(folder / "data.gz", table.options).values, (Values{1, 2}));
        const std::string pipe = folder / "pipe";
        std::filesystem::remove(pipe);
        ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
        std::thread writer([&] { write_file(pipe, table.bytes); });
        EXPECT_EQ(read_table(pipe, table.options).values, (Values{1, 2}));
        writer.join();
    }
}

TEST(OpenTable, RefusesOptionsOfOtherFormats) {
    TableOptions options;
    options.delimiter = ';';
    expect_error<UsageError>([&] { read_table("a.npy", options); }, {"delimiter"});
    expect_error<UsageError>([&] { read_table("a.svm", options); }, {"delimiter"});
    options = {.header = Header::yes};
    expect_error<UsageError>([&] { read_table("a.npy", options); }, {"header"});
    options = {};
    options.dimension = 2;
    expect_error<UsageError>([&] { read_table("a-ubyte", options); }, {"says itself"});
}

TEST(OpenTable, ReadsCsvOnStandardInput) {
    const TemporaryFolder folder;
    write_file(folder / "a.csv", "x,y\n1,2\n3,oops\n");
    const int saved = ::dup(STDIN_FILENO);
    const int file = ::open((folder / "a.csv").c_str(), O_RDONLY);
    ASSERT_GE(file, 0);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
    TableOptions options;
    options.columns = {"x", "y"};
    expect_error<DataError>([&] { read_table("-", options); },
                            {"standard input: row 2", "column 1 'y'"}, {"oops"});
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
}

class Selection : public testing::Test {
protected:
    Selection() {
        write_file(folder_ / "named.csv", "alpha,beta,gamma,2,beta2\n1,2,3,4,5\n");
        write_file(folder_ / "twice.csv", "a,b,a\n1,2,3\n");
        write_file(folder_ / "plain.csv", "1,2,3\n");
    }

    Table read(const std::string& name, const Names& columns) {
        TableOptions options;
        options.header = name == "plain.csv" ? Header::no : Header::yes;
        options.columns = columns;
        return read_table(folder_ / name, options);
    }

    void scale(double common, const std::vector<std::pair<std::string, double>>& by_column) {
        TableOptions options;
        options.header = Header::yes;
        options.scale = common;
        options.column_scales = by_column;
        read_table(folder_ / "named.csv", options);
    }

    TemporaryFolder folder_;
};

TEST_F(Selection, TakesNamesAndIndicesInTheAskedOrder) {
    EXPECT_EQ(read("named.csv", {"gamma", "0"}).values, (Values{3, 1}));
    EXPECT_EQ(read("plain.csv", {"2", "0"}).values, (Values{3, 1}));
    EXPECT_EQ(read("twice.csv", {"2", "b"}).values, (Values{3, 2}));
    TableOptions options;
    options.header = Header::yes;
    options.columns = {"gamma", "0"};
    EXPECT_EQ(column_names(open_table(folder_ / "named.csv", options)->schema()),
              (Names{"gamma", "alpha"}));
}

TEST_F(Selection, PrefersANameToAnIndex) {
    EXPECT_EQ(read("named.csv", {"2"}).values, (Values{4}));
    EXPECT_EQ(read("named.csv", {"2", "alpha"}).values, (Values{4, 1}));
    EXPECT_EQ(read("named.csv", {"alpha", "1"}).values, (Values{1, 2}));
}

// As of a row that was taken for a header: "0" may be a value of it.
TEST_F(Selection, WholeNumbersAreAllNamesOrAllPlaces) {
    write_file(folder_ / "row.csv", "39,Private,0,13\n1,2,3,4\n");
    const std::vector<std::string> told = {"either names or places, not both",
                                           "'0' is the name of column 2", "'1' is a place"};
    expect_error<UsageError>([&] { read("row.csv", {"1", "0"}); }, told, {"39", "Private"});
    expect_error<UsageError>([&] { read("row.csv", {"Private", "0", "1"}); }, told);
    EXPECT_EQ(read("row.csv", {"0", "13", "39"}).values, (Values{3, 4, 1}));
    EXPECT_EQ(read("row.csv", {"1", "2", "3"}).values, (Values{2, 3, 4}));
    TableOptions options;
    options.header = Header::yes;
    options.bounds = {{.name = "0", .bounds = {{0, 9}}}, {.name = "1", .bounds = {{0, 9}}}};
    expect_error<UsageError>([&] { read_table(folder_ / "row.csv", options); }, told);
    options.bounds = {};
    options.column_scales = {{"0", 2.0}, {"1", 2.0}};
    expect_error<UsageError>([&] { read_table(folder_ / "row.csv", options); }, told);
    // Where the header is not declared, no place of a name in the first line is told.
    options.header = Header::undeclared;
    options.column_scales = {};
    options.columns = {"Private", "0", "1"};
    expect_error<UsageError>([&] { read_table(folder_ / "row.csv", options); },
                             {"'0' is a name in the first line"}, {"column 2"});
}

TEST_F(Selection, RefusesUnknownAndRepeatedColumns) {
    expect_error<UsageError>(
        [&] { read("named.csv", {"betta"}); },
        {"no column 'betta'", "did you mean 'beta'?", "There are 'beta', 'beta2'"});
    expect_error<UsageError>([&] { read("named.csv", {"GAMMA"}); }, {"did you mean 'gamma'?"});
    expect_error<UsageError>([&] { read("named.csv", {"height"}); }, {"there are"},
                             {"did you mean"});
    expect_error<UsageError>([&] { read("named.csv", {""}); }, {"no column ''"});
    expect_error<UsageError>([&] { read("named.csv", {"-1"}); }, {"no column '-1'"});
    expect_error<UsageError>([&] { read("named.csv", {"5"}); }, {"5 columns", "from 0 to 4"});
    expect_error<UsageError>([&] { read("plain.csv", {"99999999999999999999"}); }, {"from 0 to 2"});
    expect_error<UsageError>([&] { read("plain.csv", {"x"}); },
                             {"names none", "from 0 to 2", "declare the header"});
    write_file(folder_ / "latin.csv", "a\xe9,b\n1,2\n");
    expect_error<UsageError>([&] { read("latin.csv", {"a\xc3\xa9"}); }, {"UTF-8", "iconv"},
                             {"index"});
    write_file(folder_ / "utf8.csv", "a\xc3\xa9,b\n1,2\n");
    expect_error<UsageError>([&] { read("utf8.csv", {"c"}); }, {"there are"}, {"UTF-8", "iconv"});
    expect_error<UsageError>([&] { read("named.csv", {"alpha", "0"}); }, {"'0'", "twice"});
    expect_error<UsageError>([&] { read("twice.csv", {"a"}); }, {"several columns", "'a'"});
}

// Where rows may be zeroed the width is not taken from one, so nobody knows it.
TEST_F(Selection, SaysNoWidthThatIsNotKnown) {
    TableOptions options;
    options.header = Header::no;
    options.bad_rows = BadRows::zero;
    options.columns = {"1000000"};
    const auto refused = [&] { read_table(folder_ / "plain.csv", options); };
    expect_error<UsageError>(refused,
                             {"no column '1000000'", "a table has at most 1000000 columns",
                              "from 0 to 999999", "declare the header"},
                             {"the table has"});
    options.columns = {"0"};
    options.column_scales = {{"1000000", 2.0}};
    expect_error<UsageError>(refused, {"at most 1000000 columns"}, {"the table has"});
    options.dimension = 3;
    expect_error<UsageError>(refused, {"the table has 3 columns", "from 0 to 2"}, {"at most"});
}

// The first line may be a person's row, where nobody said that it is a header.
TEST_F(Selection, NamesAreListedOfADeclaredHeaderAlone) {
    write_file(folder_ / "people.csv", "1961,52000,incom\n1970,41000,Kiel\n");
    TableOptions options;
    for (const bool by_bounds : {false, true}) {
        options.columns = by_bounds ? Names{} : Names{"income"};
        options.bounds = by_bounds ? Schema{{.name = "income", .bounds = {{0, 1}}}} : Schema{};
        options.header = Header::undeclared;
        expect_error<UsageError>([&] { read_table(folder_ / "people.csv", options); },
                                 {"no column 'income'", "declare that there is none", "index"},
                                 {"52000", "1961", "'incom'"});
        options.header = Header::yes;
        expect_error<UsageError>([&] { read_table(folder_ / "people.csv", options); },
                                 {"no column 'income'", "did you mean 'incom'?", "'52000'"});
    }
}

TEST_F(Selection, RefusesBadScales) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {0.0, -1.0, infinity, -infinity, std::nan("")}) {
        expect_error<UsageError>([&] { scale(bad, {}); }, {"scale", "above zero"});
        expect_error<UsageError>([&] { scale(1.0, {{"beta", bad}}); }, {"'beta'", "above zero"});
    }
    expect_error<UsageError>([&] { scale(1.0, {{"delta", 1.0}}); }, {"no column 'delta'"});
    expect_error<UsageError>([&] { scale(1.0, {{"beta", 1.0}, {"1", 2.0}}); }, {"two scales"});
    expect_error<UsageError>([&] { scale(1e200, {{"beta", 1e200}}); }, {"product", "'beta'"});
}

TEST(OpenTable, ListsOnlyTheNearestOfManyNames) {
    const TemporaryFolder folder;
    std::string header = "target";
    for (int i = 0; i < 100; ++i) {
        header += ",feature" + std::to_string(i);
    }
    write_file(folder / "wide.csv", header + "\n");
    TableOptions options;
    options.header = Header::yes;
    options.columns = {"tarjet"};
    expect_error<UsageError>([&] { read_table(folder / "wide.csv", options); },
                             {"'target'", "and 91 more"});
}

// What follows a row that could not be read is not the whole table. Control: a good one's end may
// be asked for again.
TEST(OpenTable, AReaderThatFailedReadsNoFurther) {
    const TemporaryFolder folder;
    const auto doubles = [](double bad) {
        std::string bytes;
        for (const double value : {1.0, bad, 3.0, 4.0}) {
            bytes += encode(value, false);
        }
        return bytes;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const bool bad : {false, true}) {
        const std::string word = bad ? "x" : "2";
        const std::string text = "1\n" + word + "\n3\n4\n";
        const std::string data = doubles(bad ? nan : 2.0);
        const std::vector<std::pair<std::string, std::string>> files = {
            {"a.csv", text},
            {"a.tsv", text},
            {"a.svm", "1 1:1\n1 1:" + word + "\n1 1:3\n1 1:4\n"},
            {"a.npy", npy(npy_dictionary("<f8", false, "(4, 1)"), data)},
            {"b.npy", npy(npy_dictionary("<f8", true, "(4, 1)"), data)}};
        for (const auto& [name, bytes] : files) {
            write_file(folder / name, bytes);
            TableOptions options = options_for(name);
            if (name == "a.svm") {
                options.dimension = 1;
            }
            const auto reader = open_table(folder / name, options);
            std::vector<double> rows(5);
            expect_error<UsageError>([&] { reader->read({}); }, {"at least one row"});
            if (!bad) {
                EXPECT_EQ(reader->read(rows), 4U) << name;
                EXPECT_EQ(reader->read(rows), 0U) << name;
                continue;
            }
            expect_error<DataError>([&] { reader->read(rows); }, {"row 2"});
            expect_error<UsageError>([&] { reader->read(rows); }, {"open the table anew"});
            if (auto* const sparse = dynamic_cast<SparseReader*>(reader.get())) {
                SparseBlock block(5, 1);
                expect_error<UsageError>([&] { sparse->read_sparse(block); }, {"anew"});
            }
        }
    }
}

}  // namespace
}  // namespace dpcov::test
