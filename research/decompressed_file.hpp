// The bytes of a data file, whichever way it is packed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

struct archive;

namespace dpcov::research {

/// A file read forward. Plain, gzip or xz is told by its first bytes, not by its name.
class DecompressedFile {
public:
    /// Throws DeviceError where the file cannot be opened, DataError as read() does.
    explicit DecompressedFile(std::string path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// Reads up to into.size() bytes and returns how many: fewer only at the end. Throws DataError
    /// where the file is truncated or cannot be unpacked. (Checksums: xz's are verified, gzip's are
    /// not.)
    std::size_t read(std::span<char> into);

private:
    struct Close {
        void operator()(archive* handle) const noexcept;
    };

    [[noreturn]] void throw_damaged() const;

    std::string path_;
    std::unique_ptr<archive, Close> archive_;
    bool ended_ = false;
};

/// `folder`/`name` as it is, with .gz or with .xz behind it, whichever is there first.
[[nodiscard]] std::optional<std::string> find_data_file(const std::string& folder,
                                                        const std::string& name);

}  // namespace dpcov::research
