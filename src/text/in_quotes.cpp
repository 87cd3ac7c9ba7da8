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

// Whether a terminal obeys the character instead of showing it: controls, separators of lines, and
// marks that turn the direction of what follows, which can make one text look like another.
bool is_obeyed(std::string_view character) {
    const auto byte = static_cast<unsigned char>(character.front());
    const auto is_from = [&](std::string_view first, std::string_view last) {
        return character >= first && character <= last;
    };
    return byte < 0x20U || byte == 0x7fU || is_from("\xC2\x80", "\xC2\x9F") ||  // U+0080 to U+009F
           character == "\xD8\x9C" ||                                           // U+061C
           is_from("\xE2\x80\x8E", "\xE2\x80\x8F") ||                           // U+200E, U+200F
           is_from("\xE2\x80\xA8", "\xE2\x80\xAE") ||                           // U+2028 to U+202E
           is_from("\xE2\x81\xA6", "\xE2\x81\xA9");                             // U+2066 to U+2069
}

}  // namespace

std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = first_character(text);
        const std::string_view character = text.substr(0, length);
        result += length == 0 || is_obeyed(character) ? "?" : character;
        text.remove_prefix(std::max<std::size_t>(length, 1));
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
