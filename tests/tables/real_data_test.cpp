// The real tables of the experiments, in the folder that DPCOV_DATA names. Sums were computed with
// numpy and Python's csv module.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Names = std::vector<std::string>;

class RealData : public testing::Test {
protected:
    void SetUp() override {
        const char* const folder = std::getenv("DPCOV_DATA");
        if (folder == nullptr) {
            GTEST_SKIP() << "DPCOV_DATA names no folder with the real tables";
        }
        folder_ = folder;
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        if (!std::filesystem::exists(folder_ / name)) {
            ADD_FAILURE() << "DPCOV_DATA lacks " << name;
        }
        return (folder_ / name).string();
    }

    std::filesystem::path folder_;
};

/// Sum of a column. Exact where the values are integers.
double column_sum(const Table& table, std::size_t column) {
    const std::size_t columns = table.values.size() / table.rows;
    double sum = 0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        sum += table.values[i * columns + column];
    }
    return sum;
}

TEST_F(RealData, Mnist) {
    const auto reader = open_table(path("mnist/train-images-idx3-ubyte.gz"));
    EXPECT_EQ(reader->columns(), 784U);
    EXPECT_EQ(reader->row_count_hint(), 60'000U);
    std::vector<double> block(std::size_t{784} * 1000);
    std::size_t rows = 0;
    double sum = 0;
    double column_400 = 0;
    while (const std::size_t count = reader->read(block)) {
        for (std::size_t k = 0; k < count * 784; ++k) {
            sum += block[k];
            column_400 += k % 784 == 400 ? block[k] : 0.0;
        }
        if (rows == 0) {
            EXPECT_EQ(std::accumulate(block.begin(), block.begin() + 784, 0.0), 27'525);
        }
        rows += count;
    }
    EXPECT_EQ(rows, 60'000U);
    EXPECT_EQ(sum, 1'567'298'545);
    EXPECT_EQ(column_400, 4'425'037);
    expect_error<DataError>([&] { (void)open_table(path("mnist/train-labels-idx1-ubyte.gz")); },
                            {"train-labels-idx1-ubyte.gz", "labels"});
}

TEST_F(RealData, CaliforniaHousing) {
    const std::string file = path("california_housing/housing.csv.gz");
    TableOptions options;
    options.columns = {"population", "total_bedrooms", "median_house_value"};
    expect_error<DataError>([&] { read_all(*open_table(file, options)); },
                            {"row 291 (line 292), column 4 'total_bedrooms'", "missing"});
    TableOptions all_columns;
    all_columns.header = Header::yes;
    expect_error<DataError>([&] { read_all(*open_table(file, all_columns)); },
                            {"row 1 (line 2), column 9 'ocean_proximity'", "not a number"},
                            {"NEAR BAY"});
    options.bad_rows = BadRows::zero;
    const auto reader = open_table(file, options);
    EXPECT_EQ(column_names(reader->schema()), options.columns);
    const Table table = read_all(*reader);
    EXPECT_EQ(table.rows, 20'640U);
    EXPECT_EQ(column_sum(table, 0), 29'115'941);
    EXPECT_EQ(column_sum(table, 1), 10'990'309);
    std::size_t zero_rows = 0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        zero_rows += table.values[3 * i] == 0.0 && table.values[3 * i + 1] == 0.0 ? 1 : 0;
    }
    EXPECT_EQ(zero_rows, 207U);

    TableOptions complete;
    complete.columns = {"population", "8"};
    const Table all = read_all(*open_table(file, complete));
    EXPECT_EQ(column_sum(all, 0), 29'421'840);
    EXPECT_EQ(column_sum(all, 1), 4'269'504'061);
}

TEST_F(RealData, Adult) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink(std::filesystem::absolute(path("adult/adult.data.gz")),
                                    folder / "adult.csv.gz");
    TableOptions options;
    options.columns = {"0", "2", "4", "10", "11", "12"};
    // Its first row is a person, and must not end up as column names.
    expect_error<UndeclaredError>([&] { (void)open_table(folder / "adult.csv.gz", options); },
                                  {"header"}, {"State-gov", "77516"});
    options.header = Header::no;
    // Its last line is blank, which is a row, and a bad one.
    expect_error<DataError>([&] { read_all(*open_table(folder / "adult.csv.gz", options)); },
                            {"row 32562 (line 32562)", "blank"});
    options.bad_rows = BadRows::zero;
    const Table table = read_all(*open_table(folder / "adult.csv.gz", options));
    EXPECT_EQ(table.rows, 32'562U);
    const std::vector<double> blank(options.columns.size(), 0.0);
    EXPECT_TRUE(std::equal(blank.rbegin(), blank.rend(), table.values.rbegin()));
    // Control: the row before it is no zero row.
    const auto before = table.values.rbegin() + static_cast<std::ptrdiff_t>(blank.size());
    EXPECT_FALSE(std::equal(blank.rbegin(), blank.rend(), before));
    const std::vector<double> sums = {1'256'257,  6'179'373'392, 328'237,
                                      35'089'324, 2'842'700,     1'316'684};
    for (std::size_t j = 0; j < sums.size(); ++j) {
        EXPECT_EQ(column_sum(table, j), sums[j]);
    }
}

TEST_F(RealData, WineAndCredit) {
    // The wines have no header: their first line is a wine.
    TableOptions options;
    options.header = Header::no;
    const Table wine =
        read_all(*open_table(path("wine_quality/winequality-white.csv.gz"), options));
    EXPECT_EQ(wine.rows, 4898U);
    EXPECT_EQ(wine.values.size(), 4898U * 12);
    options.header = Header::yes;
    const auto credit = open_table(path("credit_default/UCI_Credit_Card.csv.gz"), options);
    EXPECT_EQ(column_names(credit->schema()).at(1), "X1");
    const Table table = read_all(*credit);
    EXPECT_EQ(table.rows, 30'000U);
    EXPECT_EQ(column_sum(table, 0), 30'000.0 * 30'001.0 / 2.0);
}

}  // namespace
}  // namespace dpcov::test
