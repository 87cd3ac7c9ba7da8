#include "text/in_quotes.hpp"

#include <algorithm>
#include <cstddef>

#include "text/utf8.hpp"

namespace dpcov {

namespace {

// Where text can be cut so that no more than `most` bytes are left: not inside a character. One
// has four bytes at most; with more that only go on it is not UTF-8.
std::size_t cut_at(std::string_view text, std::size_t most) {
    if (text.size() <= most) {
        return text.size();
    }
    for (std::size_t end = most; end + 4 > most && end > 0; --end) {
        if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U) {
            return end;
        }
    }
    return most;
}

// The bytes of the character that it begins with; none where that is no UTF-8.
std::size_t first_character(std::string_view text) {
    for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
        if (detail::is_utf8(text.substr(0, length))) {
            return length;
        }
    }
    return 0;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = first_character(text);
        const auto byte = static_cast<unsigned char>(text.front());
        const bool shown = length > 0 && byte >= 0x20U && byte != 0x7fU;
        result += shown ? text.substr(0, length) : "?";
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
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
    result += printable(text.substr(0, cut_at(text, longest)));
    result += text.size() > longest ? "...'" : "'";
    return result;
}

}  // namespace dpcov
