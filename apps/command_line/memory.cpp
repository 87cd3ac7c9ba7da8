#include "command_line/memory.hpp"

#include <gmp.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>

namespace dpcov {
namespace {

bool is_limited(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// GMP's memory. By itself it ends the program by SIGABRT where there is none left, and no exception
// may pass through it: std::terminate is to tell of this one.
void* allocate(std::size_t bytes) noexcept {
    return ::operator new(bytes);
}

void* reallocate(void* old, std::size_t old_bytes, std::size_t bytes) noexcept {
    void* const memory = ::operator new(bytes);
    std::memcpy(memory, old, std::min(old_bytes, bytes));
    ::operator delete(old);
    return memory;
}

void release(void* memory, std::size_t /*bytes*/) noexcept {
    ::operator delete(memory);
}

}  // namespace

bool memory_to_start() {
    ::mp_set_memory_functions(allocate, reallocate, release);
    ::mallopt(M_ARENA_MAX, 1);
    // What malloc comes to by itself once it was given back memory of that size: matrices of less
    // are had from memory that is there, where each would be mapped anew, with a fault a page.
    constexpr int most_from_heap = 32 << 20;
    ::mallopt(M_MMAP_THRESHOLD, most_from_heap);
    ::mallopt(M_TRIM_THRESHOLD, 2 * most_from_heap);
    // A buffer of OpenBLAS (128 MiB on x86-64), which any of its threads may still be looking for,
    // and as much as any command takes.
    constexpr std::size_t enough = std::size_t{192} << 20U;
    void* const memory = ::mmap(nullptr, enough, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED && ::munmap(memory, enough) == 0;
}

int leave(int status) {
    if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) {
        std::cout.flush();
        std::cerr.flush();
        std::fflush(nullptr);
        std::_Exit(status);
    }
    return status;
}

}  // namespace dpcov
