#include "random/wiped_page.hpp"

#include <sys/mman.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "dpcov/error.hpp"

namespace dpcov::detail {

namespace {

std::string reason(const char* what) {
    return std::string(what) + ": " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

WipedPagePointer map_wiped_page() {
    void* memory =
        mmap(nullptr, WipedPage::bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw DeviceError(reason("no memory for random words"));
    }
    if (madvise(memory, WipedPage::bytes, MADV_WIPEONFORK) != 0 ||
        madvise(memory, WipedPage::bytes, MADV_DONTDUMP) != 0) {
        const std::string text =
            reason("the kernel cannot protect random words (Linux 4.14 or newer is needed)");
        munmap(memory, WipedPage::bytes);
        throw DeviceError(text);
    }
    return WipedPagePointer(static_cast<WipedPage*>(memory));  // zeros: no words left
}

void UnmapWipedPage::operator()(WipedPage* page) const noexcept {
    explicit_bzero(page, WipedPage::bytes);
    munmap(page, WipedPage::bytes);
}

void fill_page(WipedPage& page, FillBytes fill) {
    fill(page.words, sizeof page.words);
    page.remaining = WipedPage::capacity;
}

std::uint64_t take_word(WipedPage& page, FillBytes fill) {
    if (page.remaining == 0) {
        fill_page(page, fill);
    }
    std::uint64_t& slot = page.words[--page.remaining];
    const std::uint64_t word = slot;
    slot = 0;
    return word;
}

void fill_from_kernel(void* buffer, std::size_t bytes) {
    auto* next = static_cast<unsigned char*>(buffer);
    while (bytes > 0) {
        const ssize_t got = getrandom(next, bytes, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            throw DeviceError(reason("the kernel's random generator failed"));
        }
        next += got;
        bytes -= static_cast<std::size_t>(got);
    }
}

}  // namespace dpcov::detail
