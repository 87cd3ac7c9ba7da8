// One process at a time in a folder, for files that are read, changed and put back.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "files/descriptor.hpp"

namespace dpcov {

/// Holds the advisory lock of the folder of `path` as long as it lives. It leaves no file behind,
/// and the kernel takes it back from a process that dies. Throws DeviceError where the folder
/// cannot be opened or its file system knows no locks.
class FolderLock {
public:
    /// Waits for it for ever.
    explicit FolderLock(const std::string& path);
    /// Waits for it for so long; none where another one holds it still.
    [[nodiscard]] static std::optional<FolderLock> within(const std::string& path,
                                                          std::chrono::milliseconds patience);

private:
    explicit FolderLock(Descriptor folder) noexcept;

    Descriptor folder_;
};

}  // namespace dpcov
