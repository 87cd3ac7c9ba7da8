#include <sodium.h>

#include <cstring>
#include <string_view>

#include "dpcov/error.hpp"
#include "random/random_source.hpp"

namespace dpcov {

namespace {

constexpr std::string_view label = "dpcov seeded random source 1";

void hash_value(crypto_generichash_state& state, std::uint64_t value) {
    std::array<unsigned char, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<unsigned char>(value >> (8 * i));
    }
    crypto_generichash_update(&state, bytes.data(), bytes.size());
}

}  // namespace

SeededRandomSource::SeededRandomSource(std::uint64_t seed, std::uint64_t stream) {
    static_assert(std::tuple_size_v<decltype(key_)> == crypto_stream_chacha20_KEYBYTES);
    if (sodium_init() < 0) {
        throw DeviceError("libsodium cannot be initialised");
    }
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, key_.size());
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(label.data()),
                              label.size());
    hash_value(state, seed);
    hash_value(state, stream);
    crypto_generichash_final(&state, key_.data(), key_.size());
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
