// Preloaded into a program, lets it run out of memory at a chosen moment: from call FAILING_MALLOC
// on it gets none. FAILING_MALLOC_CALLS names a file for the number of calls. For glibc, whose own
// functions stand behind these.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<long> calls = 0;
std::atomic<long> first_to_fail = 0;  // 0: not read yet

bool fails() {
    if (first_to_fail == 0) {
        const char* const text = std::getenv("FAILING_MALLOC");
        first_to_fail =
            text != nullptr ? std::strtol(text, nullptr, 10) : std::numeric_limits<long>::max();
    }
    if (++calls < first_to_fail) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

__attribute__((destructor)) void tell_calls() {
    if (const char* const path = std::getenv("FAILING_MALLOC_CALLS")) {
        const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ::dprintf(file, "%ld", calls.load());
        ::close(file);
    }
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
    return fails() ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
    return fails() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
    return fails() ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return fails() ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    *memory = aligned_alloc(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
