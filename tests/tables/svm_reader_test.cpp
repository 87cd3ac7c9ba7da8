#include "tables/svm_reader.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <tuple>

#include "tables/sparse_block.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Values = std::vector<double>;

// Both ways, which give the same and refuse the same.
Table read_svm(const std::string& text, const TableOptions& options) {
    const auto open = [&] {
        return open_svm(open_memory_stream("a.svm", {text.begin(), text.end()}), options);
    };
    const auto refusal = [](const auto& read) {
        try {
            read();
            return std::string("none");
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    EXPECT_EQ(refusal([&] { read_all_sparse(*open()); }), refusal([&] { read_all(*open()); }));
    Table table = read_all(*open());
    EXPECT_EQ(read_all_sparse(*open()).values, table.values) << text;
    return table;
}

TableOptions of_dimension(std::size_t dimension) {
    TableOptions options;
    options.dimension = dimension;
    return options;
}

TEST(SvmReader, ReadsSparseRows) {
    const std::string text =
        "\xef\xbb\xbf+1 1:0.5 3:-2\n"
        "-1 2:1e3 # 3:7\n"
        "0\n"
        "2 qid:4\t3:1 \r\n";
    EXPECT_EQ(read_svm(text, of_dimension(3)).values,
              (Values{0.5, 0, -2, 0, 1000, 0, 0, 0, 0, 0, 0, 1}));
}

// What is not selected is not looked at, however far behind it stands; but for its index.
TEST(SvmReader, NeedsNoDimensionWhereColumnsAreChosen) {
    TableOptions options;
    options.columns = {"2", "0"};
    EXPECT_EQ(read_svm("1 1:4 3:6 4:nan 99999999:x\n2 5:1\n", options).values,
              (Values{6, 4, 0, 0}));
    expect_error<DataError>([&] { read_svm("1 0:4\n", options); },
                            {"indices from 1", "an index 0", "zero_based=False"});
    expect_error<DataError>([&] { read_svm("1 3:x\n", options); }, {"row 1", "column"});
    options.bad_rows = BadRows::zero;
    EXPECT_EQ(read_svm("1 1:4 3:6 0:1\n2 3:1 99999999999999999999:1\n3 1:2\n", options).values,
              (Values{0, 0, 0, 0, 0, 2}));
    TableOptions bounds;
    bounds.bounds = {{.name = "1", .bounds = ColumnBounds{0.0, 10.0}}};
    EXPECT_EQ(read_svm("1 1:4 2:10 7:3\n2 7:3\n", bounds).values, (Values{1, -1}));
}

TEST(SvmReader, SelectsAndScales) {
    TableOptions options = of_dimension(3);
    options.columns = {"2", "0"};
    options.scale = 2;
    EXPECT_EQ(read_svm("1 1:4 2:nan 3:6\n", options).values, (Values{3, 2}));
    options.scale = 0.5;
    EXPECT_EQ(read_svm("1 1:4 3:-1.7e308\n", options).values,
              (Values{std::numeric_limits<double>::lowest(), 8}));
}

TEST(SvmReader, TakesTheLastWordOnAColumnInAnyOrder) {
    EXPECT_EQ(read_svm("1 3:3 1:1 2:2 3:4 1:5\n1 2:7 2:8\n", of_dimension(3)).values,
              (Values{5, 2, 4, 0, 8, 0}));
    std::mt19937_64 generator(3);
    for (int trial = 0; trial < 200; ++trial) {
        std::string text;
        for (std::uint64_t row = 0; row < 20; ++row) {
            text += "1";
            for (std::uint64_t field = generator() % 12U; field > 0; --field) {
                text += " " + std::to_string(1 + generator() % 6U) + ":" +
                        std::to_string(static_cast<double>(generator() % 64U) / 8.0 - 4.0);
            }
            text += "\n";
        }
        TableOptions options = of_dimension(6);
        options.scale = 3;
        options.columns = {"5", "1", "3", "0"};
        options.threads = trial % 2 == 0 ? 1 : 2;
        read_svm(text, options);
    }
}

// Zeros of a column with bounds are not left out: they are no zeros after the map.
TEST(SvmReader, LeavesZerosOutWhereThereAreNoBounds) {
    TableOptions options = of_dimension(2);
    const auto keeps = [&] {
        const auto reader = open_svm(in_memory("1 1:1\n"), options);
        return dynamic_cast<SparseReader&>(*reader).keeps_zeros();
    };
    options.scale = 2;
    EXPECT_TRUE(keeps());
    options.scale = 1;
    options.bounds = {{.name = "1", .bounds = ColumnBounds{0, 4}}};
    EXPECT_FALSE(keeps());
}

TEST(SvmReader, WantsAPublicDimension) {
    expect_error<UndeclaredError>([] { read_svm("1 1:4\n", {}); }, {"a.svm", "how many columns"});
    expect_error<UsageError>([] { read_svm("1 1:4\n", of_dimension(0)); }, {"from 1 to"});
}

TEST(SvmReader, NamesTheBadRow) {
    for (const std::string field :
         {"4:1", "0:1", "-1:1", "x:1", "1", ":1", "1.5:1", "99999999999999999999:1"}) {
        const std::string text = "1 1:1\n1 " + field + "\n";
        expect_error<DataError>([&] { read_svm(text, of_dimension(3)); },
                                {"row 2", "line 2", "indices from 1 to 3"});
        expect_problem([&] { read_svm(text, of_dimension(3)); }, DataProblem::sparse_index);
        TableOptions options = of_dimension(3);
        options.bad_rows = BadRows::zero;
        EXPECT_EQ(read_svm(text, options).values, (Values{1, 0, 0, 0, 0, 0})) << field;
    }
    for (const std::string value : {"nan", "inf", "", "five"}) {
        expect_error<DataError>([&] { read_svm("1 2:" + value + "\n", of_dimension(3)); },
                                {"row 1", "column 1"});
    }
}

TEST(SvmReader, ALineWithoutALabelIsABadRow) {
    for (const std::string line : {"", "# a comment", " \t", "\r"}) {
        const std::string text = "1 1:1\n" + line + "\n2 2:2\n";
        EXPECT_EQ(expect_problem([&] { read_svm(text, of_dimension(2)); }, DataProblem::blank).line,
                  2);
        TableOptions options = of_dimension(2);
        options.bad_rows = BadRows::zero;
        EXPECT_EQ(read_svm(text, options).values, (Values{1, 0, 0, 0, 0, 2}));
    }
    expect_problem([] { read_svm("1:1 2:2\n", of_dimension(2)); }, DataProblem::sparse_index);
}

TEST(SvmReader, AnEmptyFileHasNoRows) {
    EXPECT_EQ(read_svm("", of_dimension(3)).rows, 0U);
}

TEST(SvmReader, IsChosenByName) {
    const TemporaryFolder folder;
    write_file(folder / "a.svm.gz", gzip("1 2:5\n"));
    EXPECT_EQ(read_all(*open_table(folder / "a.svm.gz", of_dimension(2))).values, (Values{0, 5}));
    write_file(folder / "a.npy", "");
    expect_error<UsageError>([&] { std::ignore = open_table(folder / "a.npy", of_dimension(2)); },
                             {"says itself"});
}

}  // namespace
}  // namespace dpcov::test
