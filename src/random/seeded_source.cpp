#include <sodium.h>

#include <cstring>
#include <string_view>

#include "dpcov/error.hpp"
#include "random/random_source.hpp"
#include "text/digest.hpp"

namespace dpcov {

namespace {

constexpr std::string_view label = "dpcov seeded random source 1";

}  // namespace

SeededRandomSource::SeededRandomSource(std::uint64_t seed, std::uint64_t stream) {
    static_assert(std::tuple_size_v<decltype(key_)> == crypto_stream_chacha20_KEYBYTES);
    if (sodium_init() < 0) {
        throw DeviceError("libsodium cannot be initialised");
    }
    detail::Blake2b key;
    key.update(label.data(), label.size());
    key.update(seed);
    key.update(stream);
    key_ = key.finish();
}

std::uint64_t SeededRandomSource::next_word() {
    if (next_ == words_.size()) {
        refill();
    }
    return words_[next_++];
}

void SeededRandomSource::refill() {
    constexpr std::size_t chacha_block_bytes = 64;
    constexpr std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{};
    words_.fill(0);
    auto* bytes = reinterpret_cast<unsigned char*>(words_.data());
    crypto_stream_chacha20_xor_ic(bytes, bytes, sizeof words_, nonce.data(), block_, key_.data());
    block_ += sizeof words_ / chacha_block_bytes;
    next_ = 0;
}

}  // namespace dpcov
