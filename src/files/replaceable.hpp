// Where no file can be put in place: where one is mounted by itself, as containers do, and where
// the file system lets nothing be replaced.
#pragma once

#include <string>

namespace dpcov {

/// Whether something is mounted at that very path: then no file can be renamed to it, and the
/// folder that it seems to be in is not that of the file. False where the system does not say.
[[nodiscard]] bool is_mount_point(const std::string& path) noexcept;

/// Whether files in that folder, or that very file, may be written but neither renamed nor removed:
/// append-only or immutable (chattr +a, +i). False where the system does not say.
[[nodiscard]] bool is_append_only(const std::string& path) noexcept;

}  // namespace dpcov
