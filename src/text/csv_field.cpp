#include "text/csv_field.hpp"

namespace dpcov::detail {

std::string csv_field(const std::string& text) {
    const bool plain = !text.empty() && text.find_first_of(",\"\r\n\t ") == std::string::npos;
    if (plain) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    return quoted + '"';
}

}  // namespace dpcov::detail
