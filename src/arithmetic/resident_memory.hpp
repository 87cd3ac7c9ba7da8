// Memory that is taken when it is asked for, not when it is first written to.
#pragma once

#include <cstddef>

namespace dpcov::detail {

/// Writes to every page of so many bytes, at least one. They hold nothing so far.
inline void touch(void* memory, std::size_t bytes) noexcept {
    constexpr std::size_t page = 4096;
    for (std::size_t at = 0; at < bytes; at += page) {
        static_cast<volatile char*>(memory)[at] = 0;
    }
    static_cast<volatile char*>(memory)[bytes - 1] = 0;
}

}  // namespace dpcov::detail
