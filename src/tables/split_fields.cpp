#include "tables/split_fields.hpp"

namespace dpcov {

std::string without_doubled_quotes(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        result += text[i];
        if (text[i] == '"') {
            ++i;
        }
    }
    return result;
}

bool is_with_doubled_quotes(std::string_view quoted, std::string_view text) noexcept {
    for (const char c : text) {
        const std::string_view written =
            c == '"' ? std::string_view("\"\"") : std::string_view(&c, 1);
        if (!quoted.starts_with(written)) {
            return false;
        }
        quoted.remove_prefix(written.size());
    }
    return quoted.empty();
}

}  // namespace dpcov
