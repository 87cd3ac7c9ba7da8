#include "command_line/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace dpcov {
namespace {

bool is_limited(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

bool memory_to_start() {
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
