#include "report/matrix_writer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "tables/array_reader.hpp"
#include "tables/csv_reader.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Names = std::vector<std::string>;

/// Doubles of every magnitude. Not symmetric, so that a transposition shows.
Eigen::MatrixXd varied_matrix(Eigen::Index d) {
    std::mt19937_64 words(1);
    std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
    std::uniform_int_distribution<int> exponent(-1073, 1023);
    Eigen::MatrixXd matrix(d, d);
    for (double& value : matrix.reshaped()) {
        value = std::ldexp(mantissa(words), exponent(words));
    }
    matrix(0, 0) = std::numeric_limits<double>::denorm_min();
    matrix(d - 1, 0) = std::numeric_limits<double>::max();
    matrix(0, d - 1) = -0.0;
    return matrix;
}

std::vector<double> row_major(const Eigen::MatrixXd& matrix) {
    std::vector<double> values;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            values.push_back(matrix(i, j));
        }
    }
    return values;
}

TEST(MatrixWriter, WritesNpyThatReadsBackExactly) {
    for (const Eigen::Index d : {2, 37, 1000}) {
        const Eigen::MatrixXd matrix = varied_matrix(d);
        const std::string text = format_matrix(MatrixFormat::npy, matrix, {});
        EXPECT_EQ((text.size() - static_cast<std::size_t>(d * d) * sizeof(double)) % 64, 0U);
        EXPECT_EQ(read_all(*open_npy(in_memory(text), {})).values, row_major(matrix));
    }
}

TEST(MatrixWriter, WritesTheNpyOfNumpyByteByByte) {
    // What numpy.save writes for [[1.5]].
    std::string expected = "\x93NUMPY";
    expected += {'\x01', '\x00', '\x76', '\x00'};
    expected += "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }";
    expected.resize(127, ' ');
    expected += '\n';
    expected += encode(1.5, false);
    EXPECT_EQ(format_matrix(MatrixFormat::npy, Eigen::MatrixXd::Constant(1, 1, 1.5), {"x"}),
              expected);
}

TEST(MatrixWriter, JsonHasTheMean) {
    const Eigen::Vector2d mean(0.1, -3e200);
    const nlohmann::json json = nlohmann::json::parse(
        format_matrix(MatrixFormat::json, Eigen::MatrixXd::Identity(2, 2), {"a", "b"}, mean));
    EXPECT_EQ(json.at("mean"), (nlohmann::json{0.1, -3e200}));
    EXPECT_EQ(json.at("covariance"), (nlohmann::json{{1.0, 0.0}, {0.0, 1.0}}));
    EXPECT_FALSE(nlohmann::json::parse(
                     format_matrix(MatrixFormat::json, Eigen::MatrixXd::Identity(2, 2), {}))
                     .contains("mean"));
}

TEST(MatrixWriter, WritesCsvThatReadsBackExactly) {
    const Eigen::MatrixXd matrix = varied_matrix(37);
    const std::string text = format_matrix(MatrixFormat::csv, matrix, {});
    EXPECT_EQ(read_all(*open_csv(in_memory(text), ',', {.header = Header::no})).values,
              row_major(matrix));

    const Names names = {"plain", "with, comma", "with \"quotes\"", "two\tparts", " padded ", "x"};
    // The names are not numbers, so the first line is told and the first column left out.
    TableOptions without_first;
    without_first.columns = {"1", "2", "3", "4", "5", "6"};
    without_first.header = Header::yes;
    const auto reader = open_csv(
        in_memory(format_matrix(MatrixFormat::csv, varied_matrix(6), names)), ',', without_first);
    Names trimmed = names;
    trimmed[4] = "padded";
    EXPECT_EQ(column_names(reader->schema()), trimmed);
    EXPECT_EQ(read_all(*reader).values, row_major(varied_matrix(6)));
}

TEST(MatrixWriter, LabelsRowsAndColumns) {
    EXPECT_EQ(format_matrix(MatrixFormat::csv, Eigen::MatrixXd::Identity(2, 2), {"a", "b,c"}),
              ",a,\"b,c\"\na,1,0\n\"b,c\",0,1\n");
}

TEST(MatrixWriter, WritesTheShortestNumbers) {
    Eigen::MatrixXd matrix(2, 2);
    matrix << 1, 0.1, -2.5e-7, 1e300;
    EXPECT_EQ(format_matrix(MatrixFormat::csv, matrix, {"a", "b c"}),
              ",a,\"b c\"\na,1,0.1\n\"b c\",-2.5e-07,1e+300\n");
    EXPECT_EQ(format_matrix(MatrixFormat::json, matrix, {"a", "b\"c"}),
              "{\"columns\": [\"a\",\"b\\\"c\"],\n"
              "\"covariance\": [\n[1,0.1],\n[-2.5e-07,1e+300]\n]}\n");
}

TEST(MatrixWriter, WritesJsonThatReadsBackExactly) {
    const Eigen::MatrixXd matrix = varied_matrix(37);
    const nlohmann::json plain =
        nlohmann::json::parse(format_matrix(MatrixFormat::json, matrix, {}));
    EXPECT_EQ(plain.size(), 1U);
    std::vector<double> values;
    for (const auto& row : plain.at("covariance")) {
        EXPECT_EQ(row.size(), 37U);
        values.insert(values.end(), row.begin(), row.end());
    }
    EXPECT_EQ(values, row_major(matrix));
    // A name that is no UTF-8 must not make the file unreadable.
    const nlohmann::json named =
        nlohmann::json::parse(format_matrix(MatrixFormat::json, varied_matrix(2),
                                            {"\xff",
                                             "gr\xc3\xb6\xc3\x9f"
                                             "e"}));
    EXPECT_EQ(named.at("columns").at(1),
              "gr\xc3\xb6\xc3\x9f"
              "e");
}

TEST(MatrixWriter, ChoosesTheFormatByTheExtension) {
    EXPECT_EQ(format_for("a/b.npy"), MatrixFormat::npy);
    EXPECT_EQ(format_for("b.csv"), MatrixFormat::csv);
    EXPECT_EQ(format_for("b.json"), MatrixFormat::json);
    EXPECT_EQ(format_for("b.CSV"), MatrixFormat::csv);
    EXPECT_EQ(format_for("b.Json"), MatrixFormat::json);
    for (const std::string path : {"b", "b.txt", "npy", "b.npy.gz", "a.csv/b"}) {
        EXPECT_EQ(format_for(path), std::nullopt);
    }
}

TEST(MatrixWriter, RefusesWhatIsNoCovariance) {
    const auto refused = [](MatrixFormat format, const Eigen::MatrixXd& matrix, const Names& names,
                            const std::string& reason) {
        expect_error<UsageError>([&] { (void)format_matrix(format, matrix, names); }, {reason});
    };
    Eigen::MatrixXd infinite = Eigen::MatrixXd::Identity(2, 2);
    infinite(0, 1) = std::numeric_limits<double>::infinity();
    refused(MatrixFormat::npy, infinite, {}, "finite");
    refused(MatrixFormat::csv, Eigen::MatrixXd::Zero(2, 3), {}, "square");
    refused(MatrixFormat::csv, Eigen::MatrixXd::Identity(2, 2), {"a"}, "name");
}

}  // namespace
}  // namespace dpcov::test
