#include "research/run_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"

namespace dpcov::research {
namespace {

constexpr std::string_view columns =
    "setting,mechanism,run,n,trace,fro_norm_of_sigma,fro_error,estimated_error,seconds\n";
constexpr std::size_t column_count = 9;

std::string line_of(const Run& run) {
    const std::string estimated =
        run.estimated_error ? fmt::format("{}", *run.estimated_error) : std::string();
    // {} writes the shortest decimal that reads back as the same double: a resumed experiment has
    // the very numbers of one that was never interrupted.
    return fmt::format("{},{},{},{},{},{},{},{},{}\n", run.setting, run.contender, run.number,
                       run.n, run.trace, run.norm, run.error, estimated, run.seconds);
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && stop == text.data() + text.size();
}

bool read_line(std::string_view line, Run& run) {
    std::array<std::string_view, column_count> fields;
    for (std::size_t i = 0; i < column_count; ++i) {
        const std::size_t comma = line.find(',');
        const bool last = i + 1 == column_count;
        if ((comma == std::string_view::npos) != last) {
            return false;
        }
        fields.at(i) = line.substr(0, comma);
        line.remove_prefix(last ? 0 : comma + 1);
    }
    const auto& [setting, contender, number, n, trace, norm, error, estimated, seconds] = fields;
    run.contender = contender;
    if (!estimated.empty()) {
        run.estimated_error.emplace();
    }
    return read_number(setting, run.setting) && read_number(number, run.number) &&
           read_number(n, run.n) && read_number(trace, run.trace) && read_number(norm, run.norm) &&
           read_number(error, run.error) && read_number(seconds, run.seconds) &&
           (!run.estimated_error || read_number(estimated, *run.estimated_error));
}

}  // namespace

RunLog::RunLog(std::string path, const std::string& made_with) : path_(std::move(path)) {
    open_and_lock();
    try {
        const std::string text = read_all();
        const std::string head = "# " + made_with + "\n" + std::string(columns);
        const std::size_t whole = text.rfind('\n') + 1;  // 0 where there is no whole line
        if (text.compare(0, head.size(), head) != 0) {
            if (head.compare(0, text.size(), text) != 0) {
                throw UsageError(path_ + ": holds runs made with other settings (\"" +
                                 text.substr(0, text.find('\n')) + "\", and now \"# " + made_with +
                                 "\"); choose another --out, or remove the file to begin anew");
            }
            // New, or ended while the head was being written.
            if (::ftruncate(descriptor_, 0) != 0) {
                fail("shorten");
            }
            write_all(head);
            return;
        }
        for (std::size_t at = head.size(); at < whole;) {
            const std::size_t end = text.find('\n', at);
            Run run;
            if (!read_line(std::string_view(text).substr(at, end - at), run)) {
                throw DataError(path_ + ": cannot read the line '" + text.substr(at, end - at) +
                                "'; remove the line, and its run is made again");
            }
            runs_.push_back(std::move(run));
            at = end + 1;
        }
        if (whole < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) {
            fail("shorten");
        }
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

RunLog::~RunLog() {
    ::close(descriptor_);
}

void RunLog::append(const Run& run) {
    const std::string line = line_of(run);
    const std::lock_guard lock(mutex_);
    if (broken_) {
        throw DeviceError(path_ + ": cannot write, since an earlier line could not be written");
    }
    broken_ = true;  // nothing may follow half a line
    write_all(line);
    broken_ = false;
    runs_.push_back(run);
}

void RunLog::open_and_lock() {
    constexpr mode_t permissions = 0666;
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, permissions);
    if (descriptor_ < 0) {
        fail("open");
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const bool taken = errno == EWOULDBLOCK;
        ::close(std::exchange(descriptor_, -1));
        if (taken) {
            throw UsageError(path_ + ": another experiment is writing to it; wait for it, or " +
                             "choose another --out");
        }
        fail("lock");
    }
}

std::string RunLog::read_all() const {
    std::string text;
    std::array<char, 1U << 16U> buffer{};
    for (;;) {
        const ssize_t count =
            ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            fail("read");
        }
        if (count == 0) {
            return text;
        }
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

void RunLog::write_all(const std::string& text) const {
    for (std::string_view rest = text; !rest.empty();) {
        const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            fail("write");
        }
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
}

void RunLog::fail(const std::string& what) const {
    throw DeviceError(path_ + ": cannot " + what + ": " + std::strerror(errno) +
                      "; choose another --out, or make room");
}

}  // namespace dpcov::research
