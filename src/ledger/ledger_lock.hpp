// One transaction on a ledger at a time, whatever else a process does with the file.
#pragma once

#include <chrono>
#include <string>

namespace dpcov::detail {

/// Holds the lock of the ledger at `path` from construction to destruction. SQLite's own locks are
/// POSIX ones: a process loses all of them as soon as any part of it closes any descriptor of the
/// file, a backup or another copy of SQLite say, and then two processes write at once. This one
/// belongs to its own descriptor, and the kernel takes it back from a process that dies. It is on
/// the first byte, which SQLite never locks.
///
/// Waits up to `patience`; false from locked() if another one has it still. Who may not write the
/// file shares the lock with others who may not. Throws DeviceError where the file cannot be opened
/// or its file system knows no locks.
class LedgerLock {
public:
    LedgerLock(const std::string& path, std::chrono::milliseconds patience);
    ~LedgerLock();
    LedgerLock(const LedgerLock&) = delete;
    LedgerLock& operator=(const LedgerLock&) = delete;

    [[nodiscard]] bool locked() const { return locked_; }

private:
    int descriptor_;
    bool locked_ = false;
};

}  // namespace dpcov::detail
