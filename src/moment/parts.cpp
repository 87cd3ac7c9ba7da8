#include "moment/parts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "dpcov/error.hpp"
#include "random/random_source.hpp"
#include "text/digest.hpp"
#include "text/public_name.hpp"

namespace dpcov::detail {
namespace {

constexpr const char* declared = "name:";

}  // namespace

std::string random_part() {
    SystemRandomSource random;
    const std::array<std::uint64_t, 2> words = {random.next_word(), random.next_word()};
    return "id:" +
           hexadecimal({reinterpret_cast<const unsigned char*>(words.data()), sizeof words});
}

std::string declared_part(const std::string& name) {
    check_name("a part", name);
    return declared + name;
}

bool is_declared(const std::string& part) {
    return part.starts_with(declared);
}

bool is_part(const std::string& text) {
    if (is_declared(text)) {
        return is_name(text.substr(std::string_view(declared).size()));
    }
    // Random, or of a file of an earlier version, by its checksum.
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || !is_name(text)) {
        return false;
    }
    const std::string kind = text.substr(0, colon);
    const std::string digits = text.substr(colon + 1);
    return (kind == "id" || kind == "file") && !digits.empty() &&
           digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

void check_disjoint(const Parts& a, const Parts& b) {
    const auto shared = std::find_if(a.begin(), a.end(),
                                     [&b](const std::string& part) { return b.contains(part); });
    if (shared != a.end()) {
        throw UsageError(is_declared(*shared)
                             ? "part '" + shared->substr(std::string(declared).size()) +
                                   "' is inside already; every person would count twice"
                             : "one moment holds rows that the other, or a copy of it, gave it; "
                               "every person in them would count twice");
    }
}

}  // namespace dpcov::detail
