#include "arithmetic/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace dpcov::detail {
namespace {

std::size_t in_small_pages(std::size_t bytes) {
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

}  // namespace

void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept {
    constexpr std::size_t page = huge_page_bytes;
    if (bytes >= least_in_huge_pages && std::align(page, page, memory, bytes) != nullptr) {
        // Advice: what the system makes of it is its own affair.
        static_cast<void>(::madvise(memory, bytes / page * page, MADV_HUGEPAGE));
    }
}

void* allocate_in_huge_pages(std::size_t bytes) {
    if (bytes < least_in_huge_pages) {
        return ::operator new(bytes);
    }
    // A page more than there is use for, of which what lies before and behind is given back.
    const std::size_t size = in_small_pages(bytes);
    void* const mapped = ::mmap(nullptr, size + huge_page_bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    auto* const begin = static_cast<std::byte*>(mapped);
    const std::size_t before =
        (huge_page_bytes - reinterpret_cast<std::uintptr_t>(mapped) % huge_page_bytes) %
        huge_page_bytes;
    if (before > 0) {
        ::munmap(begin, before);
    }
    ::munmap(begin + before + size, huge_page_bytes - before);
    ask_for_huge_pages(begin + before, size);
    return begin + before;
}

void free_in_huge_pages(void* memory, std::size_t bytes) noexcept {
    if (bytes < least_in_huge_pages) {
        ::operator delete(memory);
    } else {
        ::munmap(memory, in_small_pages(bytes));
    }
}

void* allocate_zeros_in_huge_pages(std::size_t bytes) {
    if (bytes >= least_in_huge_pages) {
        return allocate_in_huge_pages(bytes);  // from the system
    }
    void* const memory = std::calloc(bytes, 1);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void free_zeros_in_huge_pages(void* memory, std::size_t bytes) noexcept {
    if (bytes < least_in_huge_pages) {
        std::free(memory);
    } else {
        free_in_huge_pages(memory, bytes);
    }
}

void forget_contents(void* memory, std::size_t bytes) noexcept {
    const std::size_t page = in_small_pages(1);
    if (bytes >= least_in_huge_pages && std::align(page, page, memory, bytes) != nullptr) {
        static_cast<void>(::madvise(memory, bytes / page * page, MADV_DONTNEED));
    }
}

}  // namespace dpcov::detail
