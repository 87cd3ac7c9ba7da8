#include "command_line/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace dpcov {
namespace {

// Often enough to look alive on a terminal, seldom enough not to fill a log.
constexpr std::chrono::milliseconds terminal_interval(200);
constexpr std::chrono::milliseconds log_interval(2000);

}  // namespace

Progress::Progress(const RunningArguments& arguments)
    : terminal_(::isatty(STDERR_FILENO) == 1),
      on_(arguments.progress || (terminal_ && !arguments.quiet)) {}

Progress::~Progress() {
    if (on_ && terminal_) {
        std::fputs("\r\x1b[K", stderr);
    }
}

void Progress::show(const std::string& what) const {
    if (on_) {
        const std::string line = terminal_ ? "\r" + what + "\x1b[K" : what + "\n";
        std::fputs(line.c_str(), stderr);
        std::fflush(stderr);
    }
}

void Progress::show_if_due(const std::function<std::string()>& tell) {
    const auto now = std::chrono::steady_clock::now();
    if (on_ && now >= next_) {
        next_ = now + (terminal_ ? terminal_interval : log_interval);
        show(tell());
    }
}

}  // namespace dpcov
