// What to say about a file that cannot be written.
#pragma once

#include <string>

namespace dpcov {

/// Throws DeviceError: "PATH: cannot WHAT: the reason that `error` (an errno) stands for; a
/// remedy".
[[noreturn]] void fail_to(const std::string& what, const std::string& path, int error);

}  // namespace dpcov
