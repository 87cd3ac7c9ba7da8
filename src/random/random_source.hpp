// Sources of random words. Noise that protects people must come from SystemRandomSource.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "random/wiped_page.hpp"

namespace dpcov {

/// A stream of independent uniform 64-bit words. Not shared between threads: give each thread its
/// own source. Every sampler of the library takes its randomness from one of these, so a test can
/// put a scripted source in its place.
class RandomSource {
public:
    RandomSource() = default;
    RandomSource(const RandomSource&) = delete;
    RandomSource& operator=(const RandomSource&) = delete;
    virtual ~RandomSource() = default;

    /// The next uniform word. Throws DeviceError when the source fails; never returns a weak word.
    virtual std::uint64_t next_word() = 0;

    /// True only for a source whose words nobody else can know. A release made with any other
    /// source is recorded as not private.
    [[nodiscard]] virtual bool is_secure() const noexcept = 0;
};

/// Words from the kernel's generator (getrandom), in blocks. The block lives in a page that the
/// kernel wipes in a forked child and leaves out of core dumps, and each word is erased as it is
/// handed out: a child never repeats its parent's noise. Throws DeviceError when the kernel cannot
/// serve (fails closed).
class SystemRandomSource final : public RandomSource {
public:
    /// Asks for the first block at once, so that who has a source has words.
    SystemRandomSource();
    std::uint64_t next_word() override;
    [[nodiscard]] bool is_secure() const noexcept override { return true; }

private:
    detail::WipedPagePointer page_;
};

/// A deterministic ChaCha20 stream for tests and experiments: anyone who knows the seed can remove
/// the noise. Sources with different (seed, stream) pairs are independent for all practical
/// purposes.
class SeededRandomSource final : public RandomSource {
public:
    explicit SeededRandomSource(std::uint64_t seed, std::uint64_t stream = 0);
    std::uint64_t next_word() override;
    [[nodiscard]] bool is_secure() const noexcept override { return false; }

private:
    void refill();

    std::array<unsigned char, 32> key_{};
    std::array<std::uint64_t, 512> words_{};
    std::size_t next_ = 512;
    std::uint64_t block_ = 0;
};

}  // namespace dpcov
