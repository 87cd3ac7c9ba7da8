// One process at a time in a folder, for files that are read, changed and put back.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "files/descriptor.hpp"

namespace dpcov {

/// Holds the advisory lock of the folder of `path` from construction to destruction; waits for it,
/// for ever or for so long, after which it is held by another one still. It leaves no file behind,
/// and the kernel takes it back from a process that dies. Throws DeviceError where the folder
/// cannot be opened or its file system knows no locks.
class FolderLock {
public:
    explicit FolderLock(const std::string& path,
                        std::optional<std::chrono::milliseconds> patience = {});

private:
    Descriptor folder_;
};

}  // namespace dpcov
