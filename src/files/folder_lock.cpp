#include "files/folder_lock.hpp"

#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "dpcov/error.hpp"

namespace dpcov {
namespace {

[[noreturn]] void fail_to_lock(const std::string& path, int error) {
    throw DeviceError("cannot lock the folder of " + path + ": " + std::strerror(error), error);
}

Descriptor folder_to_lock(const std::string& path) {
    const std::string name = resolved_folder_of(path);
    Descriptor folder = open_folder(name);
    if (!folder.is_open()) {
        fail_to_lock(path, errno);
    }
    return folder;
}

// 0 or an errno; EWOULDBLOCK where another one holds it. Whatever signals come.
int take_lock(const Descriptor& folder, int how) {
    int error = 0;
    do {
        error = ::flock(folder.get(), how) == 0 ? 0 : errno;
    } while (error == EINTR);
    return error;
}

}  // namespace

FolderLock::FolderLock(Descriptor folder) noexcept : folder_(std::move(folder)) {}

FolderLock::FolderLock(const std::string& path) : folder_(folder_to_lock(path)) {
    if (const int error = take_lock(folder_, LOCK_EX); error != 0) {
        fail_to_lock(path, error);
    }
}

std::optional<FolderLock> FolderLock::within(const std::string& path,
                                             std::chrono::milliseconds patience) {
    constexpr std::chrono::milliseconds pause{10};
    const auto end = std::chrono::steady_clock::now() + patience;
    Descriptor folder = folder_to_lock(path);
    int error = take_lock(folder, LOCK_EX | LOCK_NB);
    while (error == EWOULDBLOCK && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(pause);
        error = take_lock(folder, LOCK_EX | LOCK_NB);
    }
    if (error == EWOULDBLOCK) {
        return std::nullopt;
    }
    if (error != 0) {
        fail_to_lock(path, error);
    }
    return FolderLock(std::move(folder));
}

}  // namespace dpcov
