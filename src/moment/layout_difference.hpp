// Whether two moments may be put together.
#pragma once

#include "dpcov/second_moment.hpp"

namespace dpcov::detail {

/// Throws UsageError, which says what is different, unless the layouts are equal.
void require_same_layout(const MomentLayout& one, const MomentLayout& other);

}  // namespace dpcov::detail
