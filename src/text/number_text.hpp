// Numbers as text, in messages and in the ledger.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace dpcov::detail {

/// The shortest decimal text that reads back as the same double.
[[nodiscard]] inline std::string number_text(double value) {
    std::array<char, 32> buffer{};
    const char* const begin = buffer.data();
    const char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {begin, end};
}

}  // namespace dpcov::detail
