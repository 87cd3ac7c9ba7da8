// Columns that an option names.
#pragma once

#include <Eigen/Core>
#include <string>

#include "tables/called_columns.hpp"

namespace dpcov {

/// The place of the column that `given` calls, blanks around it apart. UsageError that begins with
/// `option` where there is none, or several.
[[nodiscard]] Eigen::Index column_called(const std::string& given, const CalledColumns& columns,
                                         const std::string& option);

}  // namespace dpcov
