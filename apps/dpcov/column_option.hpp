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

/// Whole numbers are either all names or all places. Throws UsageError that begins with `option`
/// where of columns, all of which there are, some are given by names like 2019 and some by index:
/// whoever means a place would get what has that name.
void refuse_names_beside_places(const std::vector<std::string>& given, const CalledColumns& columns,
                                const std::string& option);

}  // namespace dpcov
