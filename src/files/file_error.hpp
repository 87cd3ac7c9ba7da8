// What to say about a path that is none, and about a file that cannot be written.
#pragma once

#include <string>

namespace dpcov {

/// Throws UsageError where the path holds a NUL, at which the system would end it.
void check_path(const std::string& path);

/// Throws DeviceError: "PATH: cannot WHAT: the reason that `error` (an errno) stands for; a
/// remedy".
[[noreturn]] void fail_to(const std::string& what, const std::string& path, int error);

}  // namespace dpcov
