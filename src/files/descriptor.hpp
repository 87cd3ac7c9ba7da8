// A file descriptor that is closed by itself, and what is done to one, signals or not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dpcov {

/// An open file descriptor, or none.
class Descriptor {
public:
    Descriptor() = default;
    /// Takes over what open() and the like return, which is none where it is negative.
    explicit Descriptor(int descriptor) noexcept : descriptor_(descriptor) {}
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();

    [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
    /// -1 where there is none.
    [[nodiscard]] int get() const noexcept { return descriptor_; }
    /// As close(2), which a signal may interrupt, and there is none afterwards, whatever that says;
    /// 0 where there was none.
    int close() noexcept;

private:
    int descriptor_ = -1;
};

/// How many symbolic links after each other are followed; as the kernel has it.
inline constexpr int most_links = 40;

/// A folder, to be locked or synchronised. Takes no memory. Where it cannot be opened there is
/// none, and errno says why.
[[nodiscard]] Descriptor open_folder(const std::string& folder) noexcept;

/// The folder in a path, "." where there is none. The path is taken as it stands.
[[nodiscard]] std::string folder_of(const std::string& path);

/// The folder that the file at `path` is in, or would be, symbolic links resolved.
[[nodiscard]] std::string resolved_folder_of(const std::string& path);

/// As fsync(2), which a signal may interrupt.
int sync_descriptor(int descriptor) noexcept;

/// How far writing came, and the errno that stopped it; 0 where everything is written.
struct Written {
    std::size_t bytes = 0;
    int error = 0;
};

/// Writes all of it, whatever signals come, and whether or not somebody made it non-blocking.
[[nodiscard]] Written write_all(int descriptor, std::string_view bytes) noexcept;

}  // namespace dpcov
