// The point about which a moment sums: mapped rows are moved by it, each by itself.
#pragma once

#include <span>
#include <vector>

#include "dpcov/second_moment.hpp"

namespace dpcov::detail {

/// UsageError unless there are d values or none: within [-1, 1] where a column has bounds, else at
/// most 2^200, so that no value overflows.
void check_origin(const MomentLayout& layout);

/// From each of the rows, one behind another. Without an origin they stay as they are.
void subtract_origin(const std::vector<double>& origin, std::span<double> rows);

}  // namespace dpcov::detail
