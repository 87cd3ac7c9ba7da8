#include "research/bounded_tables.hpp"

#include <cstddef>
#include <utility>

namespace dpcov::research {
namespace {

using Eigen::Index;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

BoundedTable read_bounded(std::string name, const std::string& path, Header header, Schema schema) {
    // A blank last line counts as a row at the midpoints.
    const auto reader = open_table(
        path,
        {.format = Format::csv, .header = header, .bad_rows = BadRows::zero, .bounds = schema});
    return {std::move(name), std::move(schema), all_rows(*reader)};
}

Column bounded(const char* name, double lower, double upper) {
    return {.name = name, .bounds = ColumnBounds{.lower = lower, .upper = upper}};
}

BoundedTable adult(const std::string& folder) {
    return read_bounded("Adult", folder + "/adult/adult.data.gz", Header::no,
                        {bounded("0", 0, 100), bounded("2", 0, 1.5e6), bounded("4", 0, 16),
                         bounded("10", 0, 1e5), bounded("11", 0, 5000), bounded("12", 0, 100)});
}

BoundedTable california(const std::string& folder) {
    Schema schema = {bounded("longitude", -125, -114),        bounded("latitude", 32, 42),
                     bounded("housing_median_age", 0, 60),    bounded("total_rooms", 0, 40000),
                     bounded("total_bedrooms", 0, 7000),      bounded("population", 0, 40000),
                     bounded("households", 0, 6500),          bounded("median_income", 0, 16),
                     bounded("median_house_value", 0, 500001)};
    schema[4].fill = 500.0;
    return read_bounded("California housing", folder + "/california_housing/housing.csv.gz",
                        Header::yes, std::move(schema));
}

BoundedTable credit_default(const std::string& folder) {
    Schema schema = {bounded("X1", 0, 1e6), bounded("X2", 1, 2), bounded("X3", 0, 6),
                     bounded("X4", 0, 3), bounded("X5", 18, 80)};
    for (const char* name : {"X6", "X7", "X8", "X9", "X10", "X11"}) {
        schema.push_back(bounded(name, -2, 8));
    }
    for (const char* name : {"X12", "X13", "X14", "X15", "X16", "X17"}) {
        schema.push_back(bounded(name, -2e5, 1e6));
    }
    for (const char* name : {"X18", "X19", "X20", "X21", "X22", "X23"}) {
        schema.push_back(bounded(name, 0, 1e6));
    }
    return read_bounded("credit default", folder + "/credit_default/UCI_Credit_Card.csv.gz",
                        Header::yes, std::move(schema));
}

}  // namespace

Eigen::MatrixXd all_rows(TableReader& reader) {
    const auto d = static_cast<Index>(reader.columns());
    std::vector<double> values;
    std::vector<double> block(reader.columns() * 2048);
    while (const std::size_t rows = reader.read(block)) {
        values.insert(values.end(), block.begin(),
                      block.begin() + static_cast<std::ptrdiff_t>(rows * reader.columns()));
    }
    return Eigen::Map<const RowMajor>(values.data(), static_cast<Index>(values.size()) / d, d);
}

std::vector<BoundedTable> bounded_tables(const std::string& folder) {
    return {adult(folder), california(folder), credit_default(folder)};
}

}  // namespace dpcov::research
