// A RandomSource that counts its words and fails when a test says so.
#pragma once

#include <cstdint>
#include <limits>

#include "dpcov/error.hpp"
#include "random/random_source.hpp"

namespace dpcov::test {

/// SeededRandomSource(seed), whose word number `fail_at` (from zero) throws DeviceError.
class FailingRandomSource final : public RandomSource {
public:
    explicit FailingRandomSource(std::uint64_t seed,
                                 std::uint64_t fail_at = std::numeric_limits<std::uint64_t>::max())
        : words_(seed), fail_at_(fail_at) {}

    std::uint64_t next_word() override {
        if (used_ == fail_at_) {
            throw DeviceError("no more entropy");
        }
        ++used_;
        return words_.next_word();
    }
    [[nodiscard]] bool is_secure() const noexcept override { return false; }

    /// How many words were handed out.
    [[nodiscard]] std::uint64_t used() const noexcept { return used_; }

private:
    SeededRandomSource words_;
    std::uint64_t fail_at_;
    std::uint64_t used_ = 0;
};

}  // namespace dpcov::test
