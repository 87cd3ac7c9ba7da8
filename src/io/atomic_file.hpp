// Files that appear whole or not at all.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace dpcov {

/// Writes beside the target and renames at the end, so that a failure leaves nothing at the target
/// (or what was there before). To put several files in place together, write() and sync() all of
/// them, then commit() all: after sync() only a rename is left to do.
///
/// A target that is no regular file (/dev/stdout, a pipe) cannot be renamed onto: it gets all bytes
/// at commit(). Construct the file before the work whose result it takes: a path that cannot be
/// written fails here. Every failure throws DeviceError.
class AtomicFile {
public:
    /// Creates the temporary file .NAME.XXXXXX in the target's folder, readable by the owner alone.
    explicit AtomicFile(std::string path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    /// Removes the temporary file, if it was not committed.
    ~AtomicFile();

    void write(std::string_view bytes);

    /// Puts everything written on the disk, still beside the target.
    void sync();

    /// Puts the file in place, with the permissions of the file that it replaces or those that the
    /// umask gives a new one. To be called once.
    void commit();

private:
    [[noreturn]] void fail(const std::string& what, int error) const;
    void write_now(std::string_view bytes);

    std::string path_;       ///< as given, for messages
    std::string target_;     ///< with symbolic links resolved
    std::string temporary_;  ///< empty when the target is written to directly, or after commit()
    std::string held_back_;  ///< bytes for a target that is written to directly
    mode_t permissions_ = 0;
    int descriptor_ = -1;
    bool direct_ = false;
};

}  // namespace dpcov
