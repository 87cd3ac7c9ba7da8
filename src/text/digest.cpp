#include "text/digest.hpp"

namespace dpcov::detail {

Blake2b::Blake2b() {
    crypto_generichash_init(&state_, nullptr, 0, Digest{}.size());
}

void Blake2b::update(const void* data, std::size_t size) {
    crypto_generichash_update(&state_, static_cast<const unsigned char*>(data), size);
}

void Blake2b::update(std::uint64_t value) {
    std::array<unsigned char, sizeof value> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<unsigned char>(value >> (8 * i));
    }
    update(bytes.data(), bytes.size());
}

Digest Blake2b::finish() {
    Digest digest{};
    crypto_generichash_final(&state_, digest.data(), digest.size());
    return digest;
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
    std::string digits(2 * bytes.size() + 1, '\0');
    sodium_bin2hex(digits.data(), digits.size(), bytes.data(), bytes.size());
    digits.pop_back();  // the null behind them
    return digits;
}

}  // namespace dpcov::detail
