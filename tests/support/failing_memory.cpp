#include "support/failing_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace dpcov::test {
namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

std::atomic<std::size_t> calls = 0;
std::atomic<std::size_t> first_to_fail = never;
std::atomic<std::size_t> first_to_succeed = never;
std::atomic<std::size_t> failed = 0;
std::atomic<std::size_t> bytes_given = 0;

bool fails() {
    const std::size_t call = calls++;
    return first_to_fail <= call && call < first_to_succeed;
}

// Memory of so many bytes by `allocate`, or none where that is wanted.
template <class Allocate>
void* given(std::size_t bytes, const Allocate& allocate) {
    if (fails()) {
        ++failed;
        throw std::bad_alloc();
    }
    void* const memory = allocate();
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    bytes_given += bytes;
    return memory;
}

}  // namespace

FailingMemory::FailingMemory(std::size_t good, std::size_t bad) {
    const std::size_t first = calls + good;
    first_to_succeed = bad < never - first ? first + bad : never;
    first_to_fail = first;
}

FailingMemory::~FailingMemory() {
    first_to_fail = never;
}

std::size_t failed_allocations() {
    return failed;
}

std::size_t allocated_bytes() {
    return bytes_given;
}

}  // namespace dpcov::test

void* operator new(std::size_t bytes) {
    return dpcov::test::given(bytes, [&] { return std::malloc(bytes > 0 ? bytes : 1); });
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return dpcov::test::given(
        bytes, [&] { return std::aligned_alloc(static_cast<std::size_t>(alignment), bytes); });
}

// Else AddressSanitizer's own would be freed by what stands below.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
    return std::malloc(bytes > 0 ? bytes : 1);
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}
