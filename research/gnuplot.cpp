#include "research/gnuplot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "dpcov/error.hpp"

namespace dpcov::research {
namespace {

struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

// The streams of the child are files without a name rather than pipes: nobody has to read while
// the other writes.
using Stream = std::unique_ptr<std::FILE, Close>;

Stream temporary_file() {
    Stream file(std::tmpfile());
    if (!file) {
        throw DeviceError(std::string("cannot make a temporary file: ") + std::strerror(errno));
    }
    return file;
}

std::string content_of(std::FILE* file) {
    std::rewind(file);
    std::string content;
    std::array<char, 1U << 16U> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file)) {
        content.append(buffer.data(), count);
    }
    return content;
}

/// posix_spawnp's error number: 0, or ENOENT where the program is not installed.
int spawn(const char* program, const std::array<std::FILE*, 3>& streams, pid_t& child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        posix_spawn_file_actions_adddup2(&actions, ::fileno(streams.at(i)), static_cast<int>(i));
    }
    std::string name = program;
    std::array<char*, 2> arguments = {name.data(), nullptr};
    const int error = ::posix_spawnp(&child, program, &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

}  // namespace

std::optional<std::string> run_gnuplot(const std::string& script) {
    const Stream in = temporary_file();
    const Stream out = temporary_file();
    const Stream err = temporary_file();
    std::fwrite(script.data(), 1, script.size(), in.get());
    std::rewind(in.get());
    pid_t child = 0;
    const int error = spawn("gnuplot", {in.get(), out.get(), err.get()}, child);
    if (error == ENOENT) {
        return std::nullopt;
    }
    if (error != 0) {
        throw DeviceError(std::string("cannot run gnuplot: ") + std::strerror(error));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::string plot = content_of(out.get());
    if (status != 0 || plot.empty()) {
        throw DeviceError("gnuplot failed: " + content_of(err.get()));
    }
    return plot;
}

}  // namespace dpcov::research
