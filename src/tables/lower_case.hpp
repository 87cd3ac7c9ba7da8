// ASCII letters in lower case.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace dpcov {

/// Other letters stay as they are, whatever the locale.
[[nodiscard]] constexpr char in_lower_case(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
[[nodiscard]] inline std::string in_lower_case(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char letter) { return in_lower_case(letter); });
    return result;
}

}  // namespace dpcov
