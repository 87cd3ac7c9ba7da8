#include "text/public_name.hpp"

#include <algorithm>
#include <utility>

#include "dpcov/error.hpp"
#include "text/utf8.hpp"

namespace dpcov::detail {

bool is_name(const std::string& text) {
    constexpr std::size_t longest = 200;
    unsigned char before = 0;
    const bool printable = std::all_of(text.begin(), text.end(), [&before](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        // U+0080 to U+009F, which terminals obey, too.
        const bool second_set = std::exchange(before, byte) == 0xC2 && byte < 0xA0;
        return byte >= 0x20 && byte != 0x7F && !second_set;
    });
    return !text.empty() && text.size() <= longest && printable && is_utf8(text);
}

void check_name(const std::string& what, const std::string& name) {
    if (!is_name(name)) {
        throw UsageError("the name of " + what +
                         " has 1 to 200 bytes of UTF-8 and no control characters; choose another");
    }
}

}  // namespace dpcov::detail
