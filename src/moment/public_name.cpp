#include "moment/public_name.hpp"

#include <algorithm>

#include "dpcov/error.hpp"

namespace dpcov::detail {

void check_name(const std::string& what, const std::string& name) {
    constexpr std::size_t longest = 200;
    const bool printable = std::all_of(name.begin(), name.end(), [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte >= 0x20 && byte != 0x7F;
    });
    if (name.empty() || name.size() > longest || !printable) {
        throw UsageError("the name of " + what +
                         " has 1 to 200 bytes and no control characters; choose another");
    }
}

}  // namespace dpcov::detail
