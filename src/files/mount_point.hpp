// Files that are mounted by themselves, as containers do with a single file.
#pragma once

#include <string>

namespace dpcov {

/// Whether something is mounted at that very path: then no file can be renamed to it, and the
/// folder that it seems to be in is not that of the file. False where the system does not say.
[[nodiscard]] bool is_mount_point(const std::string& path) noexcept;

}  // namespace dpcov
