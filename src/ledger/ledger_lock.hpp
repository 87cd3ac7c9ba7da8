// One transaction on a ledger at a time, whatever else a process does with the file.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "files/descriptor.hpp"

namespace dpcov::detail {

/// Holds the lock of the ledger at `path` from construction to destruction. SQLite's own locks are
/// POSIX ones: a process loses all of them as soon as any part of it closes any descriptor of the
/// file, a backup or another copy of SQLite say, and then two processes write at once. This one
/// belongs to its own descriptor, and the kernel takes it back from a process that dies. It is on
/// the first byte, which SQLite never locks. Within a process one is held at a time, of all
/// ledgers: to let go of it closes its descriptor, too.
///
/// Waits for up to half a minute. Who may not write the file shares the lock with others who may
/// not. Throws DeviceError where another one has it still, the file cannot be opened, or its file
/// system knows no locks.
class LedgerLock {
public:
    static constexpr std::chrono::milliseconds patience{30'000};

    explicit LedgerLock(const std::string& path);
    ~LedgerLock();
    LedgerLock(const LedgerLock&) = delete;
    LedgerLock& operator=(const LedgerLock&) = delete;

private:
    std::unique_lock<std::mutex> alone_;  ///< let go last
    Descriptor file_;
};

}  // namespace dpcov::detail
