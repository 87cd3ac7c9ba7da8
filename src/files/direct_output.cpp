#include "files/direct_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "files/file_error.hpp"

namespace dpcov {

DirectOutput::DirectOutput(std::string path) : path_(std::move(path)) {}

DirectOutput DirectOutput::standard_output() {
    DirectOutput output;
    output.path_ = "standard output";
    output.descriptor_ = STDOUT_FILENO;
    output.owned_ = false;
    struct stat status {};
    if (::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode)) {
        // Only what stands at the end can be cut off again.
        const bool appends = (::fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND) != 0;
        if (appends || ::lseek(STDOUT_FILENO, 0, SEEK_CUR) == status.st_size) {
            output.end_before_ = status.st_size;
        }
    }
    return output;
}

DirectOutput::DirectOutput(DirectOutput&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      owned_(other.owned_),
      end_before_(other.end_before_),
      written_(other.written_) {}

DirectOutput::~DirectOutput() {
    if (owned_ && descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

void DirectOutput::open() {
    if (descriptor_ < 0) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (descriptor_ < 0) {
            fail_to("open", path_, errno);
        }
    }
}

void DirectOutput::prove() {
    struct stat status {};
    if ((descriptor_ < 0 ? ::stat(path_.c_str(), &status) : ::fstat(descriptor_, &status)) != 0) {
        fail_to("write", path_, errno);
    }
    if (descriptor_ < 0 && S_ISFIFO(status.st_mode)) {
        if (::access(path_.c_str(), W_OK) != 0) {
            fail_to("write", path_, errno);
        }
        return;
    }
    open();
    pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, 0) == 1 && (ready.revents & (POLLERR | POLLHUP)) != 0) {
        fail_to("write", path_, EPIPE);
    }
    // A device that is full refuses even nothing; so does a descriptor that is not for writing. To
    // some sockets, nothing is a message.
    if (!S_ISSOCK(status.st_mode) && ::write(descriptor_, "", 0) < 0) {
        fail_to("write", path_, errno);
    }
}

void DirectOutput::write(std::string_view bytes) {
    open();
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {  // whoever shares the descriptor made it non-blocking
            pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
            ::poll(&ready, 1, -1);
            continue;
        }
        if (count <= 0) {
            fail_to("write", path_, count < 0 ? errno : EIO);
        }
        written_ += count;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    if (owned_ && ::close(std::exchange(descriptor_, -1)) != 0) {
        fail_to("write", path_, errno);
    }
}

void DirectOutput::take_back() noexcept {
    struct stat status {};
    if (end_before_ && ::fstat(descriptor_, &status) == 0 &&
        status.st_size == *end_before_ + written_) {
        if (::ftruncate(descriptor_, *end_before_) == 0) {
            ::lseek(descriptor_, *end_before_, SEEK_SET);
            written_ = 0;
        }
    }
}

bool is_standard_output(const std::string& path) {
    struct stat there {};
    struct stat here {};
    return ::stat(path.c_str(), &there) == 0 && ::fstat(STDOUT_FILENO, &here) == 0 &&
           there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

}  // namespace dpcov
