// The program under a limit on its memory: it ends, and at once.
#pragma once

namespace dpcov {

/// For the begin of main(): all threads share one heap, for each of their own reserves 64 MiB of
/// address space, and it keeps what it has; where GMP finds none, that is told. False where there
/// is not enough memory to begin with.
[[nodiscard]] bool memory_to_start();

/// For the end of main(): gives back `status`; under a limit it ends the program here, for there
/// a thread of OpenBLAS may look for memory for ever, and its destructor would wait for it.
int leave(int status);

}  // namespace dpcov
