#include "arithmetic/huge_pages.hpp"

#include <sys/mman.h>

#include <cmath>
#include <memory>
#include <new>

namespace dpcov::detail {
namespace {

constexpr std::align_val_t at_a_page{huge_page_bytes};

}  // namespace

void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept {
    constexpr std::size_t page = huge_page_bytes;
    if (bytes >= least_in_huge_pages && std::align(page, page, memory, bytes) != nullptr) {
        // Advice: what the system makes of it is its own affair.
        static_cast<void>(::madvise(memory, bytes / page * page, MADV_HUGEPAGE));
    }
}

double bytes_in_huge_pages(double bytes) noexcept {
    constexpr auto page = static_cast<double>(huge_page_bytes);
    return bytes < static_cast<double>(least_in_huge_pages)
               ? bytes
               : page * (std::ceil(bytes / page) + 1.0);
}

void* allocate_in_huge_pages(std::size_t bytes) {
    if (bytes < least_in_huge_pages) {
        return ::operator new(bytes);
    }
    const std::size_t whole = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
    void* const memory = ::operator new(whole, at_a_page);
    ask_for_huge_pages(memory, whole);
    return memory;
}

void free_in_huge_pages(void* memory, std::size_t bytes) noexcept {
    if (bytes < least_in_huge_pages) {
        ::operator delete(memory);
    } else {
        ::operator delete(memory, at_a_page);
    }
}

}  // namespace dpcov::detail
