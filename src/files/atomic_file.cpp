#include "files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <system_error>
#include <utility>

#include "files/file_error.hpp"
#include "files/replaceable.hpp"

namespace dpcov {

namespace {

// What stands in a name for what no other file has; mkostemp asks for these letters.
constexpr std::string_view placeholder = "XXXXXX";

constexpr mode_t strictest = 0077;

/// As the kernel tells it. Without /proc it can only be read by setting it: to the strictest one
/// for that moment, so that a file that another thread creates meanwhile is too private rather than
/// too public, and by one thread at a time, of which another would else take that for the umask.
mode_t file_mode_mask() {
    std::ifstream status("/proc/self/status");
    constexpr std::string_view name = "Umask:";
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name)) {
            return static_cast<mode_t>(std::strtoul(line.c_str() + name.size(), nullptr, 8));
        }
    }
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> alone(one_at_a_time);
    const mode_t mask = ::umask(strictest);
    ::umask(mask);
    return mask;
}

mode_t permissions_of_new_file(AtomicFile::Readers readers) {
    const mode_t mask = file_mode_mask();
    const mode_t withheld = readers == AtomicFile::Readers::owner ? mask | strictest : mask;
    return 0666 & ~withheld;
}

// Takes no memory: it is called where nothing may fail any more.
void sync_folder(const std::string& folder) noexcept {
    if (const Descriptor opened = open_folder(folder); opened.is_open()) {
        sync_descriptor(opened.get());
    }
}

/// Whether the file is of that group then: whoever is no member of it may not give a file to it.
bool give_to_group(int descriptor, gid_t group) {
    struct stat status {};
    return ::fchown(descriptor, static_cast<uid_t>(-1), group) == 0 ||
           (::fstat(descriptor, &status) == 0 && status.st_gid == group);
}

/// Whether a folder like /tmp lets nobody rename over the file but its owner or the folder's.
bool may_not_be_replaced(const struct stat& file, const std::filesystem::path& folder) {
    struct stat status {};
    const uid_t mine = ::geteuid();
    return mine != 0 && ::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_ISVTX) != 0 &&
           file.st_uid != mine && status.st_uid != mine;
}

/// A file without a name that can get one like `pattern` later; gone with the process, however that
/// ends. None where the file system has no such. Its name comes from /proc.
Descriptor open_unnamed(const std::filesystem::path& pattern) {
    struct stat status {};
    if (::access("/proc/self/fd", X_OK) != 0 || ::lstat(pattern.c_str(), &status) == 0 ||
        errno != ENOENT) {
        return {};
    }
    return Descriptor(
        ::open(pattern.parent_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
}

/// The longest that a name in this folder may be, in bytes: 255 but for a few file systems.
std::size_t longest_name_in(const std::string& folder) {
    constexpr long usual = 255;
    const long told = ::pathconf(folder.c_str(), _PC_NAME_MAX);
    return static_cast<std::size_t>(told > 0 ? std::min(told, usual) : usual);
}

/// ".NAME.XXXXXX" for a file beside NAME, of which the end is left out where that would be too
/// long.
std::string name_beside(const std::string& name, std::size_t longest) {
    constexpr std::size_t added = placeholder.size() + 2;
    return "." + name.substr(0, longest - std::min(longest, added)) + "." +
           std::string(placeholder);
}

/// Another one for each attempt, if not for each process.
std::string suffix(unsigned attempt) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    auto number =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) +
        (static_cast<std::uint64_t>(::getpid()) << 32U) + attempt;
    std::string text(placeholder.size(), 'x');
    for (char& letter : text) {
        number = number * 6364136223846793005U + 1442695040888963407U;
        letter = letters[(number >> 33U) % letters.size()];
    }
    return text;
}

}  // namespace

std::string behind_links(const std::string& path) {
    std::filesystem::path place = path;
    std::error_code none;
    for (int links = 0; links < most_links && std::filesystem::is_symlink(place, none); ++links) {
        place = place.parent_path() / std::filesystem::read_symlink(place, none);
    }
    return place.string();
}

AtomicFile::AtomicFile(std::string path, Readers readers, Descriptor opened)
    : path_(std::move(path)), target_(path_) {
    check_path(path_);
    if (const auto descriptor = descriptor_named(path_)) {
        direct_.emplace(DirectOutput::of_descriptor(*descriptor, path_));
        direct_->prove();
        return;
    }
    struct stat status {};
    const bool exists = ::stat(path_.c_str(), &status) == 0;
    if (!exists && errno != ENOENT && errno != ENOTDIR) {
        fail("write", errno);  // a link that must not be followed, a circle of them
    }
    if (exists && S_ISDIR(status.st_mode)) {
        fail("write", EISDIR);
    }
    // Renaming would replace a read-only file without asking.
    if (exists && ::access(path_.c_str(), W_OK) != 0) {
        fail("write", errno);
    }
    if (exists && !S_ISREG(status.st_mode)) {
        direct_.emplace(path_, std::move(opened));
        direct_->prove();
        return;
    }
    find_target(exists ? &status : nullptr);
    permissions_ = exists ? status.st_mode & 0777 : permissions_of_new_file(readers);
    if (exists) {
        group_ = status.st_gid;
    }
    open_temporary();
    // Nothing may fail from here on: there is no destructor yet to remove the file.
}

/// `replaced`: the file that is there, if one is.
void AtomicFile::find_target(const struct stat* replaced) {
    target_ = behind_links(path_);  // replace what a link points to, not the link
    if (std::error_code none; std::filesystem::is_symlink(target_, none)) {
        fail("write", ELOOP);
    }
    if (replaced != nullptr && is_mount_point(target_)) {
        fail("replace it, for it is mounted by itself", EBUSY);
    }
    folder_ = folder_of(target_);
    if (replaced != nullptr && may_not_be_replaced(*replaced, folder_)) {
        fail("replace it, for in this folder everybody's files are their own", EPERM);
    }
    if (is_append_only(folder_) || (replaced != nullptr && is_append_only(target_))) {
        fail("put a file in place, for it or its folder is append-only or immutable", EPERM);
    }
    if (!std::filesystem::path(target_).has_filename()) {
        fail("write", EISDIR);
    }
}

void AtomicFile::open_temporary() {
    const std::string name = std::filesystem::path(target_).filename().string();
    std::string pattern =
        (std::filesystem::path(folder_) / name_beside(name, longest_name_in(folder_))).string();
    descriptor_ = open_unnamed(pattern);
    if (descriptor_.is_open()) {
        unnamed_ = std::move(pattern);
        return;
    }
    temporary_ = std::move(pattern);
    descriptor_ = Descriptor(::mkostemp(temporary_.data(), O_CLOEXEC));
    if (!descriptor_.is_open()) {
        fail("create a file beside it", errno);
    }
}

AtomicFile::~AtomicFile() {
    descriptor_.close();  // before its name goes: NFS would keep the file under another one
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
    if (!aside_.empty()) {
        ::unlink(aside_.c_str());
    }
}

void AtomicFile::write(std::string_view bytes) {
    if (direct_) {
        held_back_ += bytes;
        return;
    }
    if (const int error = write_all(descriptor_.get(), bytes).error; error != 0) {
        fail("write", error);
    }
}

void AtomicFile::sync() {
    if (direct_) {
        direct_->prove();
    } else if (sync_descriptor(descriptor_.get()) != 0) {
        fail("write", errno);
    }
}

/// Until now only the owner could read it.
void AtomicFile::make_ready() {
    if (!descriptor_.is_open()) {
        return;
    }
    // What one group could do is not for another one.
    if (group_ && !give_to_group(descriptor_.get(), *group_)) {
        permissions_ &= ~static_cast<mode_t>(S_IRWXG);
    }
    if (::fchmod(descriptor_.get(), permissions_) != 0) {
        fail("set the permissions", errno);
    }
    sync();
    name_it();
    if (descriptor_.close() != 0) {
        fail("write", errno);
    }
}

void AtomicFile::name_it() {
    if (unnamed_.empty()) {
        return;
    }
    const std::string from = "/proc/self/fd/" + std::to_string(descriptor_.get());
    std::string name = unnamed_;
    constexpr unsigned most_attempts = 100;
    for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
        name.replace(name.size() - placeholder.size(), placeholder.size(), suffix(attempt));
        if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            temporary_ = std::move(name);
            unnamed_.clear();
            return;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    fail("put the file in place", errno);
}

void AtomicFile::commit() {
    if (direct_) {
        try {
            direct_->write(held_back_);
        } catch (...) {
            direct_->take_back();
            throw;
        }
        return;
    }
    rename_to_target();
    settle();
}

void AtomicFile::rename_to_target() {
    make_ready();
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        fail("put the file in place", errno);
    }
    temporary_.clear();
    in_place_ = true;
}

void AtomicFile::settle() const noexcept {
    if (in_place_) {
        sync_folder(folder_);
    }
}

void AtomicFile::commit_reversibly() {
    struct stat status {};
    if (direct_) {
        commit();
        return;
    }
    if (::lstat(target_.c_str(), &status) != 0) {
        rename_to_target();
        return;
    }
    if (S_ISDIR(status.st_mode)) {
        fail("put the file in place", EISDIR);
    }
    make_ready();
    // The two change places, which leaves no moment without a file at the target.
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) ==
        0) {
        aside_ = std::exchange(temporary_, "");
        in_place_ = true;
        return;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        fail("put the file in place", errno);
    }
    // Not every file system can do that, NFS for one: the older file gets a second name instead.
    std::string aside = temporary_;
    aside[aside.size() - placeholder.size() - 1] = '~';
    // Nor that, as FAT; or it is another user's file.
    if (::link(target_.c_str(), aside.c_str()) != 0 &&
        ::rename(target_.c_str(), aside.c_str()) != 0) {
        fail("keep the older file aside", errno);
    }
    aside_ = std::move(aside);
    try {
        rename_to_target();
    } catch (...) {
        // Nothing is to be done where the older file has both names. NFS may have lost the answer
        // alone.
        std::error_code unknown;
        if (!std::filesystem::equivalent(target_, aside_, unknown)) {
            put_back();
        }
        throw;
    }
}

void AtomicFile::take_back() noexcept {
    if (direct_) {
        direct_->take_back();
        return;
    }
    if (!std::exchange(in_place_, false)) {
        return;
    }
    if (aside_.empty()) {
        ::unlink(target_.c_str());
    } else {
        put_back();
    }
    sync_folder(folder_);
}

void AtomicFile::put_back() noexcept {
    std::string aside = std::exchange(aside_, "");
    if (::rename(aside.c_str(), target_.c_str()) != 0) {
        left_aside_ = std::move(aside);
    }
}

void AtomicFile::fail(const std::string& what, int error) const {
    fail_to(what, path_, error);
}

}  // namespace dpcov
