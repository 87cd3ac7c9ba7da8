#include "files/folder_lock.hpp"

#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "dpcov/error.hpp"

namespace dpcov {

FolderLock::FolderLock(const std::string& path, std::optional<std::chrono::milliseconds> patience) {
    const std::string folder = resolved_folder_of(path);
    folder_ = open_folder(folder);
    int status = folder_.is_open() ? 0 : -1;
    if (status == 0) {
        constexpr std::chrono::milliseconds pause{10};
        const auto end = std::chrono::steady_clock::now() + patience.value_or(pause);
        const auto waits = [&] {
            if (!patience || errno != EWOULDBLOCK) {
                return errno == EINTR;
            }
            std::this_thread::sleep_for(pause);
            return std::chrono::steady_clock::now() < end;
        };
        do {
            status = ::flock(folder_.get(), patience ? LOCK_EX | LOCK_NB : LOCK_EX);
        } while (status != 0 && waits());
        if (status != 0 && patience && errno == EWOULDBLOCK) {
            status = 0;
        }
    }
    if (status != 0) {
        const int error = errno;
        throw DeviceError("cannot lock the folder of " + path + ": " + std::strerror(error), error);
    }
}

}  // namespace dpcov
