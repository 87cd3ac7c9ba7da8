#include "tables/line_reader.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "dpcov/error.hpp"
#include "files/gzip_stream.hpp"

namespace dpcov {

namespace {

constexpr std::size_t most_lines_at_once = 8192;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteStream> stream, std::size_t longest)
    : stream_(std::move(stream)) {
    set_longest(longest);
    in_buffer_.reserve(most_lines_at_once);
    read_front();
}

/// Reads the bytes that tell an encoding, so that settle_encoding() can look at them.
void LineReader::read_front() {
    filled_ = read_fully(*stream_,
                         {reinterpret_cast<unsigned char*>(buffer_.get()), byte_order_mark.size()});
}

void LineReader::set_longest(std::size_t bytes) {
    longest_ = bytes;
    // Room for a line, the line end that shows that it is not too long, and a chunk behind.
    const std::size_t wanted = longest_ + 2 * chunk_bytes;
    if (wanted > capacity_) {
        // Pages that no line reaches are never touched. A chunk more is enough for most widths that
        // become known later.
        capacity_ = wanted + chunk_bytes;
        auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
        std::copy_n(buffer_.get(), filled_, larger.get());
        buffer_ = std::move(larger);
    }
}

void LineReader::make_room_for(std::size_t fields) {
    constexpr std::size_t longest_field = 32;
    set_longest(longest_ + longest_field * fields);
}

void LineReader::settle_encoding() {
    const std::string_view front(buffer_.get() + next_, filled_ - next_);
    if (front.starts_with("\xff\xfe") || front.starts_with("\xfe\xff")) {
        throw DataError(name() + ": the text is UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
    }
    if (const std::size_t zero = front.substr(0, 2).find('\0'); zero != std::string_view::npos) {
        throw DataError(name() +
                        ": the text begins with a NUL byte, as UTF-16 without a byte order "
                        "mark does; convert it with iconv -f UTF-16" +
                        (zero == 0 ? "BE" : "LE") + " -t UTF-8");
    }
    if (is_gzip({reinterpret_cast<const unsigned char*>(front.data()), front.size()})) {
        throw DataError(name() + compressed_text);
    }
    if (front.starts_with(byte_order_mark)) {
        next_ += byte_order_mark.size();
    }
}

bool LineReader::next() {
    if (std::exchange(again_, false)) {
        return true;
    }
    leave_what_is_left();
    begin_ = next_;
    end_ = next_;
    too_long_ = false;
    return find_end();
}

std::span<const std::string_view> LineReader::next_in_buffer(std::size_t most,
                                                             std::size_t most_bytes) {
    in_buffer_.clear();
    const std::size_t room = again_ ? 0 : std::min(most, most_lines_at_once);
    const std::size_t first = next_;
    while (in_buffer_.size() < room) {
        const char* const line = buffer_.get() + next_;
        const void* const found = std::memchr(line, '\n', filled_ - next_);
        if (found == nullptr) {
            break;
        }
        const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - line);
        if (length > longest_ || next_ + length + 1 - first > most_bytes) {
            break;
        }
        in_buffer_.push_back(without_return(next_, next_ + length));
        next_ += length + 1;
    }
    if (!in_buffer_.empty()) {
        lines_ += in_buffer_.size();
        begin_ = next_;
        end_ = next_;
        too_long_ = false;
    }
    return in_buffer_;
}

std::string_view LineReader::text() const noexcept {
    return without_return(begin_, end_);
}

/// A line's bytes, but for a carriage return at the end.
std::string_view LineReader::without_return(std::size_t begin, std::size_t end) const noexcept {
    const bool ends_in_return = end > begin && buffer_[end - 1] == '\r';
    return {buffer_.get() + begin, end - begin - (ends_in_return ? 1 : 0)};
}

/// Makes the line end at the first line feed behind where it begins, or at the end of the stream.
/// False, and nothing changed, where no line begins there any more.
bool LineReader::find_end() {
    std::size_t searched = 0;
    for (;;) {
        const void* const found =
            std::memchr(buffer_.get() + begin_ + searched, '\n', filled_ - begin_ - searched);
        if (found != nullptr) {
            end_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.get());
            next_ = end_ + 1;
            break;
        }
        searched = filled_ - begin_;
        if (searched > longest_) {
            pass_over();
            break;
        }
        if (!refill()) {
            if (searched == 0) {
                return false;
            }
            end_ = filled_;
            next_ = filled_;
            break;
        }
    }
    ++lines_;
    if (end_ - begin_ > longest_) {
        too_long_ = true;
        end_ = begin_;
    }
    return true;
}

/// Reads one more chunk behind what is there; the line moves to the front of the buffer where the
/// room gets short. False at the end of the stream.
bool LineReader::refill() {
    if (begin_ > 0 && capacity_ - filled_ < chunk_bytes + longest_) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, filled_ - begin_);
        filled_ -= begin_;
        end_ -= begin_;
        next_ -= begin_;
        begin_ = 0;
    }
    const std::size_t count =
        stream_->read({reinterpret_cast<unsigned char*>(buffer_.get()) + filled_,
                       std::min(chunk_bytes, capacity_ - filled_)});
    filled_ += count;
    return count > 0;
}

/// The line is too long already: what came of it is not kept.
void LineReader::pass_over() {
    too_long_ = true;
    inside_ = true;
    begin_ = 0;
    end_ = 0;
    next_ = 0;
    filled_ = 0;
}

/// Goes to the end of a line that was too long.
void LineReader::leave_what_is_left() {
    while (std::exchange(inside_, false)) {
        const std::size_t count =
            stream_->read({reinterpret_cast<unsigned char*>(buffer_.get()), chunk_bytes});
        filled_ = count;
        const void* const found = std::memchr(buffer_.get(), '\n', count);
        if (found != nullptr) {
            next_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.get()) + 1;
        }
        inside_ = found == nullptr && count > 0;
    }
}

}  // namespace dpcov
