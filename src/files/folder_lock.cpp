#include "files/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "dpcov/error.hpp"

namespace dpcov {

FolderLock::FolderLock(const std::string& path, std::optional<std::chrono::milliseconds> patience) {
    std::error_code unresolved;
    const auto target =
        std::filesystem::weakly_canonical(std::filesystem::absolute(path, unresolved), unresolved);
    const std::string folder = target.parent_path().string();
    descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = descriptor_ < 0 ? -1 : 0;
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
            status = ::flock(descriptor_, patience ? LOCK_EX | LOCK_NB : LOCK_EX);
        } while (status != 0 && waits());
        if (status != 0 && patience && errno == EWOULDBLOCK) {
            status = 0;
        }
    }
    if (status != 0) {
        const int error = errno;
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        throw DeviceError("cannot lock the folder of " + path + ": " + std::strerror(error), error);
    }
}

FolderLock::~FolderLock() {
    ::close(descriptor_);
}

}  // namespace dpcov
