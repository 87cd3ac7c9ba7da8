// Decompression of gzip on the fly.
#pragma once

#include <memory>

#include "files/byte_stream.hpp"

namespace dpcov {

/// The decompressed bytes of a gzip stream of one or more members (RFC 1952), checked against the
/// length and CRC of each. read() throws DataError for a stream that is no gzip, is truncated or
/// damaged, or is followed by anything else.
[[nodiscard]] std::unique_ptr<ByteStream> open_gzip_stream(std::unique_ptr<ByteStream> compressed);

}  // namespace dpcov
