// What columns are called at the command line.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dpcov/schema.hpp"

namespace dpcov {

/// Their names, or their 0-based indices; of `columns` columns, whose schema may be empty.
[[nodiscard]] std::vector<std::string> names_of_columns(const Schema& schema, Eigen::Index columns);

/// The place of the column that `word` names, or whose index it is. UsageError that begins with
/// `option` where there is none, or several.
[[nodiscard]] Eigen::Index column_called(const std::string& word,
                                         const std::vector<std::string>& names,
                                         const std::string& option);

}  // namespace dpcov
