// Where and in which units a moment sums: mapped rows are moved and stretched, each by itself.
#pragma once

#include <span>

#include "dpcov/second_moment.hpp"

namespace dpcov::detail {

/// UsageError unless there are d values or none. Of the origin: within [-1, 1] where a column has
/// bounds, else at most 2^200, so that no value overflows. Of the stretch: from 2^-20 to 2^20.
void check_movement(const MomentLayout& layout);

/// Whether rows are summed otherwise than as mapped.
[[nodiscard]] bool moves_rows(const MomentLayout& layout);

/// (x - origin) stretch, column by column, of each of the mapped rows x, one behind another.
void move_rows(const MomentLayout& layout, std::span<double> rows);

}  // namespace dpcov::detail
