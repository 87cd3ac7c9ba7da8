// A hash that is the same on every machine and in every version, unlike std::hash.
#pragma once

#include <cstdint>
#include <string_view>

namespace dpcov::research {

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
[[nodiscard]] constexpr std::uint64_t fingerprint(std::string_view text) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char c : text) {
        value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return value;
}

}  // namespace dpcov::research
