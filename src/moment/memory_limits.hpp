// What memory the process may have: limits of its own, of its control group, of the machine.
#pragma once

#include <array>
#include <string>

namespace dpcov::detail {

/// Bytes of address space that the process may have, and those that it has.
struct AddressSpace {
    double limit;  ///< infinity without one
    double held;
};

/// What may be mapped at all (RLIMIT_AS), and what may be written to (RLIMIT_DATA).
[[nodiscard]] std::array<AddressSpace, 2> address_space();

/// Bytes that the process could have resident: the least of the limits of its control groups and
/// of the machine's available memory and free swap. Infinity where nothing of that can be read.
/// `root` stands before the paths of the files, for tests.
[[nodiscard]] double resident_memory_limit(const std::string& root = "");

}  // namespace dpcov::detail
