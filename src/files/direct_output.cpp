#include "files/direct_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "files/file_error.hpp"

namespace dpcov {

namespace {

// Only what stands at the end of a regular file can be cut off again.
std::optional<off_t> end_to_write_at(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    const bool appends = (::fcntl(descriptor, F_GETFL) & O_APPEND) != 0;
    return appends || ::lseek(descriptor, 0, SEEK_CUR) == status.st_size
               ? std::optional(status.st_size)
               : std::nullopt;
}

}  // namespace

DirectOutput::DirectOutput(std::string path) : path_(std::move(path)) {}

DirectOutput DirectOutput::of_descriptor(int descriptor, std::string name) {
    DirectOutput output;
    output.path_ = std::move(name);
    output.descriptor_ = descriptor;
    output.owned_ = false;
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
    end_before_ = end_to_write_at(descriptor_);
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

std::optional<int> descriptor_named(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path descriptors = fs::canonical("/proc/self/fd", error);
    fs::path at = error ? fs::path() : fs::path(path);
    constexpr int most_links = 40;
    for (int links = 0; !at.empty() && links < most_links; ++links) {
        const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
        if (error) {
            break;
        }
        const std::string name = at.filename().string();
        if (folder == descriptors) {
            int descriptor = -1;
            const char* end = name.data() + name.size();
            const auto [last, wrong] = std::from_chars(name.data(), end, descriptor);
            return wrong == std::errc{} && last == end ? std::optional(descriptor) : std::nullopt;
        }
        const fs::path link = fs::read_symlink(folder / name, error);
        at = error ? fs::path() : folder / link;  // an absolute one replaces the folder
    }
    return std::nullopt;
}

}  // namespace dpcov
