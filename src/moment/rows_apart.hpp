// Rows that are summed apart from a moment, and go there together: all of them or none.
#pragma once

#include "dpcov/second_moment.hpp"

namespace dpcov::detail {

/// A moment without rows that has the layout and the bins of norms of `moment`.
[[nodiscard]] SecondMoment empty_like(const SecondMoment& moment);

/// Moves the sums of all rows of `apart`, which is empty_like(to) and of which nobody has a copy,
/// as if they had been added to `to`. `apart` has none then, in memory of its own. All or nothing;
/// UsageError where layouts differ.
void move_sums(SecondMoment& apart, SecondMoment& to);

}  // namespace dpcov::detail
