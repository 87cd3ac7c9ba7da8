#include "arithmetic/parallel.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace dpcov::detail {

void parallel_ranges(unsigned threads, std::size_t count,
                     const std::function<void(std::size_t, std::size_t)>& body) {
    const std::size_t parts = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(count, 1));
    std::vector<std::jthread> helpers;
    helpers.reserve(parts - 1);
    for (std::size_t part = 1; part < parts; ++part) {
        helpers.emplace_back(body, count * part / parts, count * (part + 1) / parts);
    }
    body(0, count / parts);
}

}  // namespace dpcov::detail
