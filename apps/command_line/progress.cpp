#include "command_line/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace dpcov {
namespace {

// Often enough to look alive on a terminal, seldom enough not to fill a log.
constexpr std::chrono::milliseconds terminal_interval(200);
constexpr std::chrono::milliseconds log_interval(2000);

}  // namespace

Progress::Progress(const RunningArguments& arguments, RowsShown rows_shown)
    : terminal_(::isatty(STDERR_FILENO) == 1), shows_rows_(rows_shown == RowsShown::yes) {
    on_ = arguments.progress || (terminal_ && !arguments.quiet);
}

Progress::~Progress() {
    if (on_ && terminal_) {
        std::fputs("\r\x1b[K", stderr);
    }
}

void Progress::start_reading(std::optional<std::uint64_t> total_rows, std::size_t bytes_per_row) {
    total_rows_ = total_rows;
    bytes_per_row_ = bytes_per_row;
    rows_ = 0;
    started_ = Clock::now();
    next_ = started_;
    if (!shows_rows_) {
        start_phase("reading");
    }
}

void Progress::add_rows(std::uint64_t rows) {
    if (!shows_rows_) {
        return;
    }
    rows_ += rows;
    const Clock::time_point now = Clock::now();
    if (!is_due(now)) {
        return;
    }
    const double seconds = std::chrono::duration<double>(now - started_).count();
    const double rows_per_second = static_cast<double>(rows_) / std::max(seconds, 1e-9);
    const double megabytes_per_second = rows_per_second * static_cast<double>(bytes_per_row_) / 1e6;
    if (total_rows_ && *total_rows_ > 0) {
        const auto total = static_cast<double>(*total_rows_);
        const auto done = static_cast<double>(rows_);
        show(fmt::format("reading: {:.0f} %, {:.0f} MB/s, {:.0f} s left", 100.0 * done / total,
                         megabytes_per_second, std::max(0.0, total - done) / rows_per_second));
    } else {
        show(fmt::format("reading: {:.0f} MB/s", megabytes_per_second));
    }
}

void Progress::start_runs(std::string_view experiment) {
    experiment_ = experiment;
    started_ = Clock::now();
    next_ = started_;
}

void Progress::show_runs(std::size_t done, std::size_t wanted, double share_left,
                         std::string_view at) {
    const Clock::time_point now = Clock::now();
    if (!is_due(now)) {
        return;
    }
    const double seconds = std::chrono::duration<double>(now - started_).count();
    const double share_done = 1.0 - share_left;
    const std::string left =
        share_done > 0.0 ? fmt::format(", {:.0f} s left", seconds * share_left / share_done) : "";
    show(fmt::format("{}: {} of {} runs{} ({})", experiment_, done, wanted, left, at));
}

void Progress::start_phase(std::string_view what) {
    if (on_) {
        show(std::string(what));
    }
}

bool Progress::is_due(Clock::time_point now) {
    if (!on_ || now < next_) {
        return false;
    }
    next_ = now + (terminal_ ? terminal_interval : log_interval);
    return true;
}

void Progress::show(const std::string& text) {
    const std::string line = terminal_ ? "\r" + text + "\x1b[K" : text + "\n";
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

}  // namespace dpcov
