#include "files/byte_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "dpcov/error.hpp"
#include "files/descriptor.hpp"
#include "files/direct_output.hpp"
#include "files/file_error.hpp"

namespace dpcov {

namespace {

[[noreturn]] void throw_device_error(const std::string& name, const char* what, int error) {
    throw DeviceError(name + ": cannot " + what + ": " + std::strerror(error), error);
}

class FileStream final : public ByteStream {
public:
    FileStream(std::string name, Descriptor owned)
        : ByteStream(std::move(name)), descriptor_(owned.get()), owned_(std::move(owned)) {}
    FileStream(std::string name, int lent) : ByteStream(std::move(name)), descriptor_(lent) {}

    std::size_t read(std::span<unsigned char> into) override {
        for (;;) {
            const ssize_t count = ::read(descriptor_, into.data(), into.size());
            if (count >= 0) {
                return static_cast<std::size_t>(count);
            }
            if (errno == EAGAIN) {  // a pipe that somebody made non-blocking
                pollfd ready{.fd = descriptor_, .events = POLLIN, .revents = 0};
                static_cast<void>(::poll(&ready, 1, -1));
            } else if (errno != EINTR) {
                throw_device_error(name(), "read", errno);
            }
        }
    }

    [[nodiscard]] bool has_random_access() const noexcept override {
        // A descriptor from elsewhere may stand in the middle of its file.
        struct stat status {};
        return owned_.is_open() && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    }

    [[nodiscard]] std::uint64_t size() const override {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0) {
            throw_device_error(name(), "find the size", errno);
        }
        return static_cast<std::uint64_t>(status.st_size);
    }

    void read_at(std::uint64_t offset, std::span<unsigned char> into) override {
        while (!into.empty()) {
            const ssize_t count =
                ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count < 0) {
                throw_device_error(name(), "read", errno);
            }
            if (count == 0) {
                throw DeviceError(name() + ": the file became shorter while it was read");
            }
            into = into.subspan(static_cast<std::size_t>(count));
            offset += static_cast<std::uint64_t>(count);
        }
    }

private:
    int descriptor_;
    Descriptor owned_;  // the same, unless that is lent
};

class MemoryStream final : public ByteStream {
public:
    MemoryStream(std::string name, std::vector<unsigned char> bytes)
        : ByteStream(std::move(name)), bytes_(std::move(bytes)) {}

    std::size_t read(std::span<unsigned char> into) override {
        const std::size_t count = std::min(into.size(), bytes_.size() - position_);
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(position_), count, into.begin());
        position_ += count;
        return count;
    }

    [[nodiscard]] bool has_random_access() const noexcept override { return true; }
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }

    void read_at(std::uint64_t offset, std::span<unsigned char> into) override {
        if (offset > bytes_.size() || into.size() > bytes_.size() - offset) {
            throw std::out_of_range("MemoryStream::read_at");
        }
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(),
                    into.begin());
    }

private:
    std::vector<unsigned char> bytes_;
    std::size_t position_ = 0;
};

}  // namespace

std::uint64_t ByteStream::size() const {
    throw std::logic_error("ByteStream::size: no random access");
}

void ByteStream::read_at(std::uint64_t /*offset*/, std::span<unsigned char> /*into*/) {
    throw std::logic_error("ByteStream::read_at: no random access");
}

std::size_t read_fully(ByteStream& stream, std::span<unsigned char> into) {
    std::size_t filled = 0;
    while (filled < into.size()) {
        const std::size_t count = stream.read(into.subspan(filled));
        if (count == 0) {
            break;
        }
        filled += count;
    }
    return filled;
}

namespace {

// By its name the system would open anew, and for reading, whatever stands in for a stream that was
// closed: an empty table.
bool is_readable(int descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

}  // namespace

std::unique_ptr<ByteStream> open_file_stream(const std::string& path) {
    check_path(path);
    if (const std::optional<int> named = descriptor_named(path); named && !is_readable(*named)) {
        throw_device_error(path, "read", EBADF);
    }
    Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor.is_open()) {
        throw_device_error(path, "open", errno);
    }
    struct stat status {};
    if (::fstat(descriptor.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
        throw_device_error(path, "read", EISDIR);
    }
    return std::make_unique<FileStream>(path, std::move(descriptor));
}

std::unique_ptr<ByteStream> open_regular_file(const std::string& path, const std::string& what) {
    const auto refuse = [&] {
        throw DeviceError(path + ": " + what +
                          " is read from a regular file, not from a pipe or device");
    };
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISDIR(status.st_mode)) {
        refuse();  // before it is opened, which waits for somebody to write to a pipe
    }
    auto stream = open_file_stream(path);
    if (!stream->has_random_access()) {
        refuse();
    }
    return stream;
}

std::unique_ptr<ByteStream> open_standard_input() {
    return std::make_unique<FileStream>("standard input", STDIN_FILENO);
}

std::unique_ptr<ByteStream> open_memory_stream(std::string name, std::vector<unsigned char> bytes) {
    return std::make_unique<MemoryStream>(std::move(name), std::move(bytes));
}

}  // namespace dpcov
