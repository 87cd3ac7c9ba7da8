#include "tables/in_quotes.hpp"

namespace dpcov {

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string result = "'";
    for (const char c : text.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        result += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    return result + (text.size() > longest ? "...'" : "'");
}

}  // namespace dpcov
