// Targets that a file cannot be renamed onto: pipes, devices, what is open already.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"

namespace dpcov {

/// Bytes to something that is written to as it stands. What a pipe or a device has taken cannot be
/// taken back, so prove() finds out beforehand what can be found out. Every failure throws
/// DeviceError.
class DirectOutput {
public:
    /// A pipe or a device; it is opened at first need, and a named pipe at write() only: opening
    /// one waits for its reader, and closing it again would end the reader. Or it is `opened`, and
    /// is closed once it is written.
    explicit DirectOutput(std::string path, Descriptor opened = {});
    /// What is open already as this file descriptor, whatever it is; `name` is for messages.
    [[nodiscard]] static DirectOutput of_descriptor(int descriptor, std::string name);

    /// Throws where it is certain that write() would fail: a path that cannot be opened, a pipe
    /// without a reader, a full device. Changes nothing.
    void prove();

    /// Writes all of it. To be called once.
    void write(std::string_view bytes);

    /// Cuts off what write() wrote, the part of a failed write too, unless somebody else has
    /// written to the same file since.
    void take_back() noexcept;

private:
    DirectOutput() = default;
    void open();
    /// -1 until it is opened.
    [[nodiscard]] int descriptor() const noexcept;

    std::string path_;  ///< as given, for messages
    Descriptor opened_;
    int lent_ = -1;                    ///< what was open already, and stays so
    std::optional<off_t> end_before_;  ///< where a regular file ended
    off_t written_ = 0;
};

/// Whether `path` leads to the very thing that the file descriptor 1 is: /dev/stdout, for one.
[[nodiscard]] bool is_standard_output(const std::string& path);

/// The file descriptor of this process that `path` is a name of, as /dev/stderr and /dev/fd/3 are.
/// Whoever shares it goes on writing to it: what it leads to must not be replaced.
[[nodiscard]] std::optional<int> descriptor_named(const std::string& path);

}  // namespace dpcov
