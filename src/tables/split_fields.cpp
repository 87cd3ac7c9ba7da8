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

}  // namespace dpcov
