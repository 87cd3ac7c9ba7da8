#include "files/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace dpcov {

Descriptor::Descriptor(Descriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    const int taken = std::exchange(other.descriptor_, -1);
    close();
    descriptor_ = taken;
    return *this;
}

Descriptor::~Descriptor() {
    close();
}

int Descriptor::close() noexcept {
    const int status = descriptor_ < 0 ? 0 : ::close(std::exchange(descriptor_, -1));
    // Linux has closed it also where a signal came meanwhile.
    return status != 0 && errno == EINTR ? 0 : status;
}

Descriptor open_folder(const std::string& folder) noexcept {
    return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::string folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

std::string resolved_folder_of(const std::string& path) {
    std::error_code unresolved;
    const auto target =
        std::filesystem::weakly_canonical(std::filesystem::absolute(path, unresolved), unresolved);
    return target.parent_path().string();
}

int sync_descriptor(int descriptor) noexcept {
    int status = 0;
    do {
        status = ::fsync(descriptor);
    } while (status != 0 && errno == EINTR);
    return status;
}

Written write_all(int descriptor, std::string_view bytes) noexcept {
    Written written;
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {  // whoever shares the descriptor made it non-blocking
            pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
            ::poll(&ready, 1, -1);
            continue;
        }
        if (count <= 0) {
            written.error = count < 0 ? errno : EIO;
            break;
        }
        written.bytes += static_cast<std::size_t>(count);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return written;
}

}  // namespace dpcov
