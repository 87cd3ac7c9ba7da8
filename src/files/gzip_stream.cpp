#include "files/gzip_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"

namespace dpcov {

namespace {

constexpr std::size_t compressed_buffer_bytes = std::size_t{1} << 17;
constexpr int gzip_only = 16 + MAX_WBITS;

/// One pass over the decompressed bytes.
class Inflater {
public:
    /// `refill` fills a buffer with the compressed bytes that come next; 0 at their end.
    Inflater(const std::string& name, std::function<std::size_t(std::span<unsigned char>)> refill)
        : name_(name), refill_(std::move(refill)), buffer_(compressed_buffer_bytes) {
        if (inflateInit2(&zlib_, gzip_only) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { inflateEnd(&zlib_); }

    /// As ByteStream::read().
    std::size_t read(std::span<unsigned char> into) {
        const std::size_t wanted =
            std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max());
        zlib_.next_out = into.data();
        zlib_.avail_out = static_cast<uInt>(wanted);
        while (zlib_.avail_out == wanted) {
            if (zlib_.avail_in == 0 && !refill()) {
                if (!between_members_ || !any_member_) {
                    throw DataError(name_ +
                                    ": the gzip file is truncated; fetch or compress it again");
                }
                return 0;
            }
            inflate_some();
        }
        return wanted - zlib_.avail_out;
    }

private:
    bool refill() {
        const std::size_t count = refill_(buffer_);
        zlib_.next_in = buffer_.data();
        zlib_.avail_in = static_cast<uInt>(count);
        return count > 0;
    }

    void inflate_some() {
        if (between_members_ && any_member_ && *zlib_.next_in != 0x1f) {
            throw DataError(name_ +
                            ": something that is no gzip follows the gzip data; "
                            "fetch or compress the file again");
        }
        between_members_ = false;
        const int status = inflate(&zlib_, Z_NO_FLUSH);
        if (status == Z_STREAM_END) {
            inflateReset(&zlib_);
            between_members_ = true;
            any_member_ = true;
        } else if (status == Z_MEM_ERROR) {
            throw std::bad_alloc();
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            throw DataError(name_ + ": not a gzip file, or damaged (" +
                            (zlib_.msg != nullptr ? zlib_.msg : "unknown reason") +
                            "); fetch or compress it again");
        }
    }

    const std::string& name_;
    std::function<std::size_t(std::span<unsigned char>)> refill_;
    std::vector<unsigned char> buffer_;
    z_stream zlib_{};
    bool between_members_ = true;
    bool any_member_ = false;
};

/// Bytes that are read anew, from the first on, as often as somebody steps back in them.
class RepeatedPass {
public:
    explicit RepeatedPass(ByteStream& compressed)
        : compressed_(compressed), compressed_size_(compressed.size()) {
        restart();
    }

    [[nodiscard]] std::uint64_t position() const { return position_; }

    std::size_t read(std::span<unsigned char> into) {
        const std::size_t count = inflater_->read(into);
        position_ += count;
        return count;
    }

    /// Goes to `offset`, or to the end where that comes first.
    void go_to(std::uint64_t offset) {
        if (offset < position_) {
            restart();
        }
        while (position_ < offset) {
            const auto step = static_cast<std::size_t>(
                std::min<std::uint64_t>(skipped_.size(), offset - position_));
            if (read(std::span(skipped_).first(step)) == 0) {
                return;
            }
        }
    }

private:
    void restart() {
        compressed_position_ = 0;
        position_ = 0;
        inflater_.emplace(compressed_.name(), [this](std::span<unsigned char> into) {
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>(into.size(), compressed_size_ - compressed_position_));
            compressed_.read_at(compressed_position_, into.first(count));
            compressed_position_ += count;
            return count;
        });
    }

    ByteStream& compressed_;
    std::uint64_t compressed_size_;
    std::uint64_t compressed_position_ = 0;
    std::uint64_t position_ = 0;
    std::optional<Inflater> inflater_;
    std::vector<unsigned char> skipped_ = std::vector<unsigned char>(compressed_buffer_bytes);
};

class GzipStream final : public ByteStream {
public:
    explicit GzipStream(std::unique_ptr<ByteStream> compressed)
        : ByteStream(compressed->name()),
          compressed_(std::move(compressed)),
          forward_(name(),
                   [this](std::span<unsigned char> into) { return compressed_->read(into); }) {}

    std::size_t read(std::span<unsigned char> into) override { return forward_.read(into); }

    [[nodiscard]] bool has_random_access() const noexcept override {
        return compressed_->has_random_access();
    }

    [[nodiscard]] std::uint64_t size() const override {
        RepeatedPass pass(*compressed_);
        pass.go_to(std::numeric_limits<std::uint64_t>::max());
        return pass.position();
    }

    void read_at(std::uint64_t offset, std::span<unsigned char> into) override {
        if (!repeated_) {
            repeated_.emplace(*compressed_);
        }
        repeated_->go_to(offset);
        while (!into.empty()) {
            const std::size_t count = repeated_->read(into);
            if (count == 0) {
                throw DeviceError(name() + ": the file became shorter while it was read");
            }
            into = into.subspan(count);
        }
    }

private:
    std::unique_ptr<ByteStream> compressed_;
    Inflater forward_;
    std::optional<RepeatedPass> repeated_;  // where read_at() was called
};

}  // namespace

std::unique_ptr<ByteStream> open_gzip_stream(std::unique_ptr<ByteStream> compressed) {
    return std::make_unique<GzipStream>(std::move(compressed));
}

bool is_gzip(std::span<const unsigned char> front) noexcept {
    return front.size() >= 2 && front[0] == 0x1f && front[1] == 0x8b;
}

}  // namespace dpcov
