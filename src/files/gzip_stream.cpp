#include "files/gzip_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"

namespace dpcov {

namespace {

constexpr std::size_t compressed_buffer_bytes = std::size_t{1} << 17;
constexpr int gzip_only = 16 + MAX_WBITS;

class GzipStream final : public ByteStream {
public:
    explicit GzipStream(std::unique_ptr<ByteStream> compressed)
        : ByteStream(compressed->name()),
          compressed_(std::move(compressed)),
          buffer_(compressed_buffer_bytes) {
        if (inflateInit2(&zlib_, gzip_only) != Z_OK) {
            throw std::bad_alloc();
        }
    }

    ~GzipStream() override { inflateEnd(&zlib_); }

    std::size_t read(std::span<unsigned char> into) override {
        const std::size_t wanted =
            std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max());
        zlib_.next_out = into.data();
        zlib_.avail_out = static_cast<uInt>(wanted);
        while (zlib_.avail_out == wanted) {
            if (zlib_.avail_in == 0 && !refill()) {
                if (!between_members_ || !any_member_) {
                    throw DataError(name() +
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
        const std::size_t count = compressed_->read(buffer_);
        zlib_.next_in = buffer_.data();
        zlib_.avail_in = static_cast<uInt>(count);
        return count > 0;
    }

    void inflate_some() {
        if (between_members_ && any_member_ && *zlib_.next_in != 0x1f) {
            throw DataError(name() +
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
            throw DataError(name() + ": not a gzip file, or damaged (" +
                            (zlib_.msg != nullptr ? zlib_.msg : "unknown reason") +
                            "); fetch or compress it again");
        }
    }

    std::unique_ptr<ByteStream> compressed_;
    std::vector<unsigned char> buffer_;
    z_stream zlib_{};
    bool between_members_ = true;
    bool any_member_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> open_gzip_stream(std::unique_ptr<ByteStream> compressed) {
    return std::make_unique<GzipStream>(std::move(compressed));
}

}  // namespace dpcov
