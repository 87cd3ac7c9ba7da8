#include "text/utf8.hpp"

#include <cstddef>

namespace dpcov::detail {

bool is_utf8(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        const auto byte = [&text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
        const unsigned first = byte(i);
        const std::size_t more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        // 0x80 to 0xC1 go on what began before, or are longer than they need be.
        if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || more >= text.size() - i) {
            return false;
        }
        unsigned least = 0x80;
        unsigned greatest = 0xBF;
        if (first == 0xE0) {
            least = 0xA0;  // shorter ones would do
        } else if (first == 0xED) {
            greatest = 0x9F;  // surrogates
        } else if (first == 0xF0) {
            least = 0x90;
        } else if (first == 0xF4) {
            greatest = 0x8F;  // U+10FFFF
        }
        for (std::size_t k = 1; k <= more; ++k, least = 0x80, greatest = 0xBF) {
            if (byte(i + k) < least || byte(i + k) > greatest) {
                return false;
            }
        }
        i += more + 1;
    }
    return true;
}

}  // namespace dpcov::detail
