#include "research/run_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
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

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
    throw DeviceError(path + ": cannot " + what + ": " + std::strerror(error) +
                      "; choose another --out, or make room");
}

// The file, made where there is none, for this program alone.
Descriptor locked(const std::string& path) {
    constexpr mode_t permissions = 0666;
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, permissions));
    if (!file.is_open()) {
        fail(path, "open", errno);
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            throw UsageError(path + ": another experiment is writing to it; wait for it, or " +
                             "choose another --out");
        }
        fail(path, "lock", errno);
    }
    return file;
}

std::string read_all(const Descriptor& file, const std::string& path) {
    std::string text;
    std::array<char, 1U << 16U> buffer{};
    for (;;) {
        const ssize_t count =
            ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            fail(path, "read", errno);
        }
        if (count == 0) {
            return text;
        }
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

void write_to(const Descriptor& file, const std::string& path, std::string_view text) {
    if (const Written written = write_all(file.get(), text); written.error != 0) {
        fail(path, "write", written.error);
    }
}

void shorten(const Descriptor& file, const std::string& path, std::size_t size) {
    if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) {
        fail(path, "shorten", errno);
    }
}

// Of whole lines. `path` is what an error calls them.
std::vector<Run> runs_of(std::string_view lines, const std::string& path) {
    std::vector<Run> runs;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        Run run;
        if (!read_line(line, run)) {
            throw DataError(path + ": cannot read the line '" + std::string(line) +
                            "'; remove the line, and its run is made again");
        }
        runs.push_back(std::move(run));
        lines.remove_prefix(line.size() + 1);
    }
    return runs;
}

}  // namespace

RunLog::RunLog(std::string path, const std::string& made_with)
    : path_(std::move(path)), file_(locked(path_)) {
    const std::string text = read_all(file_, path_);
    const std::string head = "# " + made_with + "\n" + std::string(columns);
    if (!text.starts_with(head)) {
        if (!head.starts_with(text)) {
            throw UsageError(path_ + ": holds runs made with other settings (\"" +
                             text.substr(0, text.find('\n')) + "\", and now \"# " + made_with +
                             "\"); choose another --out, or remove the file to begin anew");
        }
        // New, or ended while the head was being written.
        shorten(file_, path_, 0);
        write_to(file_, path_, head);
        return;
    }
    const std::size_t whole = text.rfind('\n') + 1;  // the head ends in one
    runs_ = runs_of(std::string_view(text).substr(head.size(), whole - head.size()), path_);
    if (whole < text.size()) {
        shorten(file_, path_, whole);
    }
}

void RunLog::append(const Run& run) {
    const std::string line = line_of(run);
    const std::lock_guard lock(mutex_);
    if (broken_) {
        throw DeviceError(path_ + ": cannot write, since an earlier line could not be written");
    }
    broken_ = true;  // nothing may follow half a line
    write_to(file_, path_, line);
    broken_ = false;
    runs_.push_back(run);
}

}  // namespace dpcov::research
