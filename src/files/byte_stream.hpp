// Where the bytes of a table come from: a file, standard input, or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dpcov {

/// A forward stream of bytes with a name for messages.
class ByteStream {
public:
    explicit ByteStream(std::string name) : name_(std::move(name)) {}
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;
    virtual ~ByteStream() = default;

    /// What messages call the stream: the path, or "standard input".
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Reads 1 to into.size() bytes (into is not empty) and returns how many; 0 only at the end.
    /// Throws DeviceError when the device fails, DataError when a compressed stream is damaged.
    virtual std::size_t read(std::span<unsigned char> into) = 0;

    /// Whether read_at() works, beside a read() of another thread too: true for regular files and
    /// memory, and for what is made of them.
    [[nodiscard]] virtual bool has_random_access() const noexcept { return false; }
    /// Bytes in the whole stream. Only with random access.
    [[nodiscard]] virtual std::uint64_t size() const;
    /// Fills all of `into` from `offset`, without moving the forward position. Only with random
    /// access. Throws DeviceError when the device fails or the file has become shorter.
    virtual void read_at(std::uint64_t offset, std::span<unsigned char> into);

private:
    std::string name_;
};

/// Reads until `into` is full or the stream ends; returns how many bytes were read.
[[nodiscard]] std::size_t read_fully(ByteStream& stream, std::span<unsigned char> into);

/// A file, device or pipe by its path. Throws DeviceError where it cannot be opened or is a folder.
[[nodiscard]] std::unique_ptr<ByteStream> open_file_stream(const std::string& path);

/// The same of a regular file; DeviceError, which says that `what` is read from one, where it is
/// something else.
[[nodiscard]] std::unique_ptr<ByteStream> open_regular_file(const std::string& path,
                                                            const std::string& what);

/// Standard input, without random access.
[[nodiscard]] std::unique_ptr<ByteStream> open_standard_input();

/// Bytes held in memory (tests, fuzzing).
[[nodiscard]] std::unique_ptr<ByteStream> open_memory_stream(std::string name,
                                                             std::vector<unsigned char> bytes);

}  // namespace dpcov
