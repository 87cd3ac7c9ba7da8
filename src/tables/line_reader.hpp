// A byte stream as lines of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/byte_stream.hpp"

namespace dpcov {

/// Hands out the physical lines of a text: what stands between line feeds, without a carriage
/// return at the end. A last line without a line feed is a line; behind a last line feed there is
/// none.
///
/// Whether there is a next line and what stands in it depends on no other line. Memory is taken by
/// the constructor and set_longest() alone; a line that is longer is passed over within it, once
/// the reader moves on: it need not end. Bytes are read by next() alone, and only where a line end
/// is still to be found.
class LineReader {
public:
    /// Bytes that a line may have where nothing else is known of it.
    static constexpr std::size_t longest_by_default = std::size_t{1} << 24;

    /// Bytes that are read at a time: few enough to be parsed from the cache that they come into,
    /// enough to be worth a thread or two.
    static constexpr std::size_t chunk_bytes = std::size_t{1} << 18;

    explicit LineReader(std::unique_ptr<ByteStream> stream,
                        std::size_t longest = longest_by_default);

    [[nodiscard]] const std::string& name() const noexcept { return stream_->name(); }

    /// Lets lines have so many bytes.
    void set_longest(std::size_t bytes);
    /// Lets lines have 32 bytes more for each of so many fields. To be called once.
    void make_room_for(std::size_t fields);

    /// Drops a byte order mark (UTF-8) at the very front, and throws DataError for text that is
    /// UTF-16 or compressed with gzip, by its first two bytes. Before the first line is read, and
    /// only where these bytes belong to no row.
    void settle_encoding();

    /// Moves on to the next line; false at the end.
    bool next();
    /// Makes next() stay where it is, once.
    void again() noexcept { again_ = true; }

    /// Moves over several lines at once: the next ones that are whole in the buffer, at most `most`
    /// and no more than it has room for, with at most so many bytes and line ends, up to the first
    /// that is too long. None where that is the next one. They stay until the reader moves on;
    /// text() is empty meanwhile.
    std::span<const std::string_view> next_in_buffer(
        std::size_t most, std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

    /// The line. Empty where too_long().
    [[nodiscard]] std::string_view text() const noexcept;
    /// Whether the line is longer than allowed.
    [[nodiscard]] bool too_long() const noexcept { return too_long_; }
    /// How many lines were moved over, with this one: its number, counted from 1.
    [[nodiscard]] std::uint64_t line() const noexcept { return lines_; }

private:
    [[nodiscard]] std::string_view without_return(std::size_t begin,
                                                  std::size_t end) const noexcept;
    void read_front();
    bool find_end();
    bool refill();
    void pass_over();
    void leave_what_is_left();

    std::unique_ptr<ByteStream> stream_;
    std::size_t longest_ = 0;
    std::size_t capacity_ = 0;
    std::unique_ptr<char[]> buffer_;
    // Places in the buffer: begin_ <= end_ <= next_ <= filled_ <= capacity_.
    std::size_t begin_ = 0;                    ///< of the line
    std::size_t end_ = 0;                      ///< of the line, its line feed left out
    std::size_t next_ = 0;                     ///< what follows that line feed
    std::size_t filled_ = 0;                   ///< how far the buffer holds bytes
    std::vector<std::string_view> in_buffer_;  ///< never grows
    bool too_long_ = false;
    bool again_ = false;
    bool inside_ = false;  ///< of a line that is too long: its end is still to be found
    std::uint64_t lines_ = 0;
};

}  // namespace dpcov
