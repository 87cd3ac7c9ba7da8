// MPFR keeps constants and spare memory for each thread, and leaves freeing them to the caller.
#pragma once

#include <mpfr.h>

namespace dpcov::detail {

/// Has what MPFR keeps for this thread freed when the thread ends. To be called by whoever makes an
/// MPFR number; only the first call in a thread does anything.
inline void free_mpfr_memory_with_thread() {
    struct MemoryOfThread {
        MemoryOfThread() = default;
        MemoryOfThread(const MemoryOfThread&) = delete;
        MemoryOfThread& operator=(const MemoryOfThread&) = delete;
        ~MemoryOfThread() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
    };
    static const thread_local MemoryOfThread freed_when_the_thread_ends;
}

}  // namespace dpcov::detail
