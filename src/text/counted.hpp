// Numbers of things in a sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dpcov::detail {

/// "1 column", "2 columns".
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view thing) {
    return std::to_string(number) + ' ' + std::string(thing) + (number == 1 ? "" : "s");
}

}  // namespace dpcov::detail
