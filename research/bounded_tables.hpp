// Real tables whose columns have public bounds, for measurements of what users do.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dpcov/schema.hpp"
#include "dpcov/table.hpp"

namespace dpcov::research {

/// What is left of a table, n x d.
[[nodiscard]] Eigen::MatrixXd all_rows(TableReader& reader);

struct BoundedTable {
    std::string name;
    Schema schema;
    Eigen::MatrixXd rows;  ///< n x d, mapped to [-1, 1]
};

/// Adult, California housing and credit default, from the folder of the real data. Bounds are those
/// that people would name who know what the columns mean, not the rows. Throws DataError,
/// DeviceError for files that are missing or damaged.
[[nodiscard]] std::vector<BoundedTable> bounded_tables(const std::string& folder);

}  // namespace dpcov::research
