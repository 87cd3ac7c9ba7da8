// The memory in which random words wait to be used: private to this process, absent from core
// dumps, and zeroed by the kernel in a forked child. The count of words left stands in the memory
// itself, so a child finds "none left" and asks the kernel for its own: no process id to compare,
// no window in which a child could repeat its parent's words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dpcov::detail {

struct WipedPage {
    static constexpr std::size_t bytes = 16384;  // getrandom is at full speed from 4 KiB up
    static constexpr std::size_t capacity = bytes / sizeof(std::uint64_t) - 1;

    std::size_t remaining;
    std::uint64_t words[capacity];
};
static_assert(sizeof(WipedPage) == WipedPage::bytes);

/// Fills a buffer with unpredictable bytes, or throws DeviceError.
using FillBytes = void (*)(void* buffer, std::size_t bytes);

/// Erases the page and gives it back.
struct UnmapWipedPage {
    void operator()(WipedPage* page) const noexcept;
};
using WipedPagePointer = std::unique_ptr<WipedPage, UnmapWipedPage>;

/// A new page without words. Throws DeviceError where the kernel cannot give the protections.
[[nodiscard]] WipedPagePointer map_wiped_page();

/// Fills an empty page with words. When `fill` throws, the page stays empty.
void fill_page(WipedPage& page, FillBytes fill);

/// Takes one word out of the page and erases it there, filling the page first when it is empty.
/// When `fill` throws, the page stays empty, so the next call asks again.
[[nodiscard]] std::uint64_t take_word(WipedPage& page, FillBytes fill);

/// FillBytes by getrandom(2).
void fill_from_kernel(void* buffer, std::size_t bytes);

}  // namespace dpcov::detail
