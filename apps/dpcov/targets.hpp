// Checks of the files to be written, before there is anything to write.
#pragma once

#include <string>

namespace dpcov {

/// Whether two paths lead to the same place; neither needs to exist.
[[nodiscard]] bool same_place(const std::string& a, const std::string& b);

/// Throws DeviceError where a file cannot be put at `path`: fail before the reading, not after it.
/// Leaves nothing behind.
void check_target(const std::string& path);

}  // namespace dpcov
