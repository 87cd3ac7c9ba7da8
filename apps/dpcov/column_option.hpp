// Columns that an option names.
#pragma once

#include <Eigen/Core>
#include <string>

#include "tables/called_columns.hpp"

namespace dpcov {

/// The place of the column that `word` calls. UsageError that begins with `option` where there is
/// none, or several.
[[nodiscard]] Eigen::Index column_called(const std::string& word, const CalledColumns& columns,
                                         const std::string& option);

}  // namespace dpcov
