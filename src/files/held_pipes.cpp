#include "files/held_pipes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "files/file_error.hpp"

namespace dpcov {
namespace {

bool is_named_pipe(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

Descriptor open_for_writing(const std::string& path, int more_flags) {
    return Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | more_flags));
}

}  // namespace

HeldPipes::HeldPipes(const std::vector<std::string>& paths,
                     const std::function<void(const std::string&)>& on_wait) {
    for (const std::string& path : paths) {
        if (!is_named_pipe(path)) {
            continue;
        }
        Descriptor pipe = open_for_writing(path, O_NONBLOCK);
        if (!pipe.is_open() && errno == ENXIO) {
            on_wait(path);
            pipe = open_for_writing(path, 0);
        }
        if (!pipe.is_open()) {
            fail_to("open", path, errno);
        }
        pipes_.push_back({path, std::move(pipe)});
    }
}

void HeldPipes::require_readers() const {
    for (const auto& [path, descriptor] : pipes_) {
        pollfd ready{.fd = descriptor.get(), .events = POLLOUT, .revents = 0};
        if (::poll(&ready, 1, 0) == 1 && (ready.revents & (POLLERR | POLLHUP)) != 0) {
            fail_to("write", path, EPIPE);
        }
    }
}

}  // namespace dpcov
