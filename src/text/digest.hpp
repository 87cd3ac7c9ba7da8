// BLAKE2b-256 of bytes, and bytes as hexadecimal digits.
#pragma once

#include <sodium.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dpcov::detail {

using Digest = std::array<unsigned char, crypto_generichash_BYTES>;

/// The digest of all that it is given, as if it were one text.
class Blake2b {
public:
    Blake2b();

    void update(const void* data, std::size_t size);
    /// Eight bytes, little-endian.
    void update(std::uint64_t value);
    /// To be called once, at the end.
    [[nodiscard]] Digest finish();

private:
    crypto_generichash_state state_{};
};

/// Two digits a byte, in lower case.
[[nodiscard]] std::string hexadecimal(std::span<const unsigned char> bytes);

}  // namespace dpcov::detail
