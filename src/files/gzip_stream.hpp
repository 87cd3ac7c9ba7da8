// Decompression of gzip on the fly.
#pragma once

#include <memory>
#include <span>

#include "files/byte_stream.hpp"

namespace dpcov {

/// The decompressed bytes of a gzip stream of one or more members (RFC 1952), checked against the
/// length and CRC of each. read() throws DataError for a stream that is no gzip, is truncated or
/// damaged, or is followed by anything else. There is random access where `compressed` has it, but
/// no index: size() decompresses all, and read_at() from the first byte on wherever it steps back.
[[nodiscard]] std::unique_ptr<ByteStream> open_gzip_stream(std::unique_ptr<ByteStream> compressed);

/// Whether the first bytes are those of a gzip stream; no format of tables begins so.
[[nodiscard]] bool is_gzip(std::span<const unsigned char> front) noexcept;

/// What a message says, behind the name, of such a stream where a table was expected.
inline constexpr const char* compressed_text =
    ": compressed with gzip, twice if its name ends in .gz; decompress it first (gunzip), or give "
    "the file a name that ends in .gz";

}  // namespace dpcov
