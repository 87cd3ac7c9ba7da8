#include "targets.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "dpcov/error.hpp"
#include "files/atomic_file.hpp"
#include "files/direct_output.hpp"
#include "files/output_set.hpp"

namespace dpcov {

namespace {

/// Where a file is, or would be.
std::filesystem::path place_of(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(behind_links(path), ignored),
                                             ignored);
}

bool find_status(const std::string& target, struct stat& status) {
    return (target == standard_stream_word ? ::fstat(STDOUT_FILENO, &status)
                                           : ::stat(target.c_str(), &status)) == 0;
}

}  // namespace

std::string path_of(const std::string& target) {
    return target == standard_stream_word ? "" : target;
}

bool same_place(const std::string& a, const std::string& b) {
    struct stat at_a {};
    struct stat at_b {};
    if (find_status(a, at_a) && find_status(b, at_b)) {
        return at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
    }
    return a == b ||
           (a != standard_stream_word && b != standard_stream_word && place_of(a) == place_of(b));
}

void refuse_to_replace(const std::string& target, const std::string& path, std::string_view what) {
    struct stat written {};
    const bool exists = find_status(target, written);
    // A terminal, or a pipe, is no file that is lost.
    if (path.empty() || (exists && !S_ISREG(written.st_mode) && !S_ISDIR(written.st_mode))) {
        return;
    }
    struct stat read {};
    const bool same = path == standard_stream_word
                          ? exists && ::fstat(STDIN_FILENO, &read) == 0 &&
                                written.st_dev == read.st_dev && written.st_ino == read.st_ino
                          : same_place(target, path);
    if (same) {
        const std::string name =
            target == standard_stream_word ? "standard output" : "'" + target + "'";
        throw UsageError(name + " is " + std::string(what) + "; it would be overwritten");
    }
}

namespace {

/// Throws where `target` is the name of a descriptor, /dev/fd/3, that nobody handed to the program:
/// a file of its own may be there by now, the ledger for one. These are closed on exec.
void require_handed_over(const std::string& target) {
    const std::optional<int> descriptor = descriptor_named(target);
    if (!descriptor) {
        return;
    }
    const int flags = ::fcntl(*descriptor, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) {
        throw DeviceError("cannot write " + target + ": no such descriptor was handed over");
    }
}

}  // namespace

void check_targets_together(const std::vector<std::string>& targets) {
    OutputSet trial;
    for (const std::string& target : targets) {
        require_handed_over(target);
    }
    for (const std::string& target : targets) {
        if (!target.empty()) {
            trial.add(path_of(target), "");
        }
    }
}

void check_target(const std::string& target) {
    check_targets_together({target});
}

}  // namespace dpcov
