// Files that appear whole or not at all.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"
#include "files/direct_output.hpp"

namespace dpcov {

/// What a symbolic link points to, whether it is there or not; another path as it is.
[[nodiscard]] std::string behind_links(const std::string& path);

/// Writes beside the target and renames at the end, so that a failure leaves nothing at the target
/// (or what was there before). Several files that belong together: OutputSet.
///
/// A target that is no regular file (/dev/null, a pipe), or that names a file which is open already
/// (/dev/fd/3), is not renamed onto: it gets all bytes at commit(). Construct the file before the
/// work whose result it takes: a path that cannot be written fails here. Every failure throws
/// DeviceError.
class AtomicFile {
public:
    /// Who may read a file that was not there before.
    enum class Readers {
        umask,  ///< whom the umask lets: a file that may be published
        owner,  ///< no one else: a file that is as secret as the table
    };

    /// Creates a temporary file in the target's folder, readable by the owner alone: one without a
    /// name, where the file system has such, which is gone with the process however that ends; else
    /// .NAME.XXXXXX.
    explicit AtomicFile(std::string path, Readers readers = Readers::umask, Descriptor opened = {});
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    /// Removes the temporary file, if it was not committed.
    ~AtomicFile();

    void write(std::string_view bytes);

    /// Puts everything written on the disk, still beside the target: then only a rename is left to
    /// do. Of a pipe or a device, finds out what DirectOutput::prove() can.
    void sync();

    /// Gives the file its name beside the target, and its permissions. It stays there where the
    /// process is killed before it is put in place, so not much should come between.
    void make_ready();

    /// Puts the file in place, with the group and the permissions of the file that it replaces or
    /// those of a new one (Readers). Where it cannot have that group it is for no group. To be
    /// called once.
    void commit();

    /// The same, so that take_back() can undo it as long as this object lives: what was at the
    /// target before is kept beside it. A power failure may still undo it, too, until settle().
    void commit_reversibly();
    /// Makes the rename survive a power failure. Best effort: not every file system can.
    void settle() const noexcept;
    /// Puts back what was at the target before commit_reversibly(), or nothing where nothing was;
    /// of a target that is written to directly, what DirectOutput::take_back() can.
    void take_back() noexcept;
    /// Where what was at the target lies, if it could not be put back. Empty otherwise.
    [[nodiscard]] const std::string& left_aside() const noexcept { return left_aside_; }

    /// Whether the target is written to as it stands.
    [[nodiscard]] bool is_direct() const noexcept { return direct_.has_value(); }
    /// Where the file will be, symbolic links resolved.
    [[nodiscard]] const std::string& target() const noexcept { return target_; }

private:
    [[noreturn]] void fail(const std::string& what, int error) const;
    void find_target(const struct stat* replaced);
    void open_temporary();
    void name_it();
    void rename_to_target();
    void put_back() noexcept;

    std::string path_;       ///< as given, for messages
    std::string target_;     ///< with symbolic links resolved
    std::string folder_;     ///< of the target; empty of one that is written to directly
    std::string unnamed_;    ///< the pattern of the name to come, while the file has none
    std::string temporary_;  ///< empty while it has none, and after commit()
    std::string aside_;      ///< what was at the target; empty unless it is kept
    std::string left_aside_;
    std::optional<DirectOutput> direct_;
    std::string held_back_;  ///< bytes for a target that is written to directly
    mode_t permissions_ = 0;
    std::optional<gid_t> group_;  ///< of the file that is replaced
    Descriptor descriptor_;       ///< open until the file is whole
    bool in_place_ = false;
};

}  // namespace dpcov
