// A file that is mounted by itself, as containers do with a single file.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace dpcov::test {

/// What `call` complains of in a process for which the file is mounted at its own path; empty where
/// it does not, and nothing where the system lets nobody mount.
inline std::optional<std::string> told_where_mounted(const std::string& path,
                                                     const std::function<void()>& call) {
    int ends[2] = {};
    if (::pipe(ends) != 0) {
        return std::nullopt;
    }
    const pid_t child = ::fork();
    if (child < 0) {
        ::close(ends[0]);
        ::close(ends[1]);
        return std::nullopt;
    }
    if (child == 0) {
        // As another user's namespace anybody may; mounts there are seen by nobody else.
        const bool mounted =
            (::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
            ::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0;
        std::string told;
        try {
            if (mounted) {
                call();
            }
        } catch (const std::exception& error) {
            told = error.what();
        }
        const bool written =
            ::write(ends[1], told.data(), told.size()) == static_cast<ssize_t>(told.size());
        ::_exit(mounted && written ? 0 : 1);
    }
    ::close(ends[1]);
    std::string told;
    for (char letter = 0; ::read(ends[0], &letter, 1) == 1;) {
        told += letter;
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(told) : std::nullopt;
}

}  // namespace dpcov::test
