// Splits a loop over a few threads; for loops whose result does not depend on the split.
#pragma once

#include <cstddef>
#include <functional>

namespace dpcov::detail {

/// Calls body(begin, end) on disjoint ranges that cover [0, count), on up to `threads` threads, and
/// waits for all. `body` must not throw.
void parallel_ranges(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace dpcov::detail
