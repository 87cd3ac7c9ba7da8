#include "files/held_pipe.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "files/direct_output.hpp"
#include "files/file_error.hpp"

namespace dpcov {
namespace {

bool is_named_pipe(const std::string& path) {
    struct stat status {};
    return !descriptor_named(path) && ::stat(path.c_str(), &status) == 0 &&
           S_ISFIFO(status.st_mode);
}

Descriptor open_for_writing(const std::string& path, int more_flags) {
    return Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | more_flags));
}

}  // namespace

HeldPipe::HeldPipe(const std::vector<std::string>& paths,
                   const std::function<void(const std::string&)>& on_wait) {
    const auto first = std::find_if(paths.begin(), paths.end(), is_named_pipe);
    if (first == paths.end()) {
        return;
    }
    path_ = *first;
    pipe_ = open_for_writing(path_, O_NONBLOCK);
    if (!pipe_.is_open() && errno == ENXIO) {
        on_wait(path_);
        pipe_ = open_for_writing(path_, 0);
    }
    if (!pipe_.is_open()) {
        fail_to("open", path_, errno);
    }
}

Descriptor HeldPipe::take(const std::string& path) {
    return path == path_ ? std::move(pipe_) : Descriptor();
}

}  // namespace dpcov
