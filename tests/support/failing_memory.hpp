// Lets operator new fail, for tests of what is left behind when it does. Whoever includes this
// links failing_memory.cpp, which replaces operator new in the whole program.
#pragma once

#include <cstddef>

namespace dpcov::test {

/// While it lives, the first `good` calls of operator new succeed, in whatever thread, and then
/// `bad` calls throw bad_alloc.
class FailingMemory {
public:
    FailingMemory(std::size_t good, std::size_t bad);
    FailingMemory(const FailingMemory&) = delete;
    FailingMemory& operator=(const FailingMemory&) = delete;
    ~FailingMemory();
};

/// Calls of operator new that failed, and bytes that were given, since the program started.
std::size_t failed_allocations();
std::size_t allocated_bytes();

}  // namespace dpcov::test
