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

DirectOutput::DirectOutput(std::string path, Descriptor opened)
    : path_(std::move(path)), opened_(std::move(opened)) {}

DirectOutput DirectOutput::of_descriptor(int descriptor, std::string name) {
    DirectOutput output;
    output.path_ = std::move(name);
    output.lent_ = descriptor;
    return output;
}

int DirectOutput::descriptor() const noexcept {
    return opened_.is_open() ? opened_.get() : lent_;
}

void DirectOutput::open() {
    if (descriptor() < 0) {
        opened_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (!opened_.is_open()) {
            fail_to("open", path_, errno);
        }
    }
}

void DirectOutput::prove() {
    struct stat status {};
    const bool closed = descriptor() < 0;
    if ((closed ? ::stat(path_.c_str(), &status) : ::fstat(descriptor(), &status)) != 0) {
        fail_to("write", path_, errno);
    }
    if (closed && S_ISFIFO(status.st_mode)) {
        if (::access(path_.c_str(), W_OK) != 0) {
            fail_to("write", path_, errno);
        }
        return;
    }
    open();
    pollfd ready{.fd = descriptor(), .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, 0) == 1 && (ready.revents & (POLLERR | POLLHUP)) != 0) {
        fail_to("write", path_, EPIPE);
    }
    // A device that is full refuses even nothing; so does a descriptor that is not for writing. To
    // some sockets, nothing is a message.
    if (!S_ISSOCK(status.st_mode) && ::write(descriptor(), "", 0) < 0) {
        fail_to("write", path_, errno);
    }
}

void DirectOutput::write(std::string_view bytes) {
    open();
    end_before_ = end_to_write_at(descriptor());
    const Written written = write_all(descriptor(), bytes);
    written_ = static_cast<off_t>(written.bytes);
    if (written.error != 0) {
        fail_to("write", path_, written.error);
    }
    if (opened_.close() != 0) {
        fail_to("write", path_, errno);
    }
}

void DirectOutput::take_back() noexcept {
    struct stat status {};
    if (end_before_ && ::fstat(descriptor(), &status) == 0 &&
        status.st_size == *end_before_ + written_) {
        if (::ftruncate(descriptor(), *end_before_) == 0) {
            ::lseek(descriptor(), *end_before_, SEEK_SET);
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
