// Columns that an option names.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "tables/called_columns.hpp"

namespace dpcov {

/// The names or indices in "a,b,c". UsageError that begins with `option` where one is empty.
[[nodiscard]] std::vector<std::string> split_names(const std::string& text,
                                                   const std::string& option);

/// The place of the column that `given` calls, blanks around it apart. UsageError that begins with
/// `option` where there is none, or several.
[[nodiscard]] Eigen::Index column_called(const std::string& given, const CalledColumns& columns,
                                         const std::string& option);

}  // namespace dpcov
