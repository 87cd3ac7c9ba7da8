// What is wrong with what was declared of a column.
#pragma once

#include <string_view>

#include "dpcov/schema.hpp"

namespace dpcov::detail {

/// In words that follow the column's name; empty where all is as Column says.
[[nodiscard]] std::string_view problem_of(const Column& column);

}  // namespace dpcov::detail
