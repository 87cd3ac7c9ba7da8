// Spaces and tabs around a text.
#pragma once

#include <string_view>

namespace dpcov {

/// The text without the spaces and tabs around it.
[[nodiscard]] constexpr std::string_view without_blanks(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace dpcov
