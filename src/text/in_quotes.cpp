#include "text/in_quotes.hpp"

#include <algorithm>

namespace dpcov {

std::string printable(std::string_view text) {
    std::string result(text);
    std::replace_if(
        result.begin(), result.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7f'; }, '?');
    // U+0080 to U+009F in UTF-8.
    for (std::size_t i = 0; i + 1 < result.size(); ++i) {
        if (result[i] == '\xc2' && static_cast<unsigned char>(result[i + 1]) < 0xa0U) {
            result[i] = result[i + 1] = '?';
        }
    }
    return result;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string result = "'";
    result += printable(text.substr(0, longest));
    result += text.size() > longest ? "...'" : "'";
    return result;
}

}  // namespace dpcov
