// A stream that is read ahead on a thread of its own.
#pragma once

#include <memory>

#include "files/byte_stream.hpp"

namespace dpcov {

/// The bytes of `stream`, and at their end what it throws, read while they are consumed, two blocks
/// ahead at most. For streams that take work, such as decompression, and never wait: destruction
/// waits for a read that has begun. Memory is taken here, and does not depend on the bytes; where
/// the system has no thread to give, it is read without one.
[[nodiscard]] std::unique_ptr<ByteStream> open_read_ahead(std::unique_ptr<ByteStream> stream);

}  // namespace dpcov
