// What memory the process may have: limits of its own, of its control group, of the machine.
#pragma once

#include <string>

namespace dpcov::detail {

/// Bytes of address space that the process may have (RLIMIT_AS, RLIMIT_DATA); infinity without a
/// limit.
[[nodiscard]] double address_space_limit();

/// Bytes that the process could have resident: the least of the limits of its control groups and
/// of the machine's available memory and free swap. Infinity where nothing of that can be read.
/// `root` stands before the paths of the files, for tests.
[[nodiscard]] double resident_memory_limit(const std::string& root = "");

}  // namespace dpcov::detail
