// Splits a loop over a few threads; for loops whose result does not depend on the split.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace dpcov::detail {

/// Calls body(begin, end) on disjoint ranges that cover [0, count), on up to `threads` threads, and
/// waits for all. `body` must not throw. Nor does this: where the system has no memory or no thread
/// to give, the thread that called does the rest. (A template, since std::function may allocate.)
template <class Body>
void parallel_ranges(unsigned threads, std::size_t count, const Body& body) noexcept {
    const std::size_t parts = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(count, 1));
    std::vector<std::jthread> helpers;
    std::size_t part = 1;
    try {
        helpers.reserve(parts - 1);
        for (; part < parts; ++part) {
            helpers.emplace_back(std::cref(body), count * part / parts, count * (part + 1) / parts);
        }
    } catch (const std::exception&) {  // those that run have their ranges, and part is the next
    }
    body(0, count / parts);
    if (part < parts) {
        body(count * part / parts, count);
    }
}

}  // namespace dpcov::detail
