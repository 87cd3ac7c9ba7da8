// A RandomSource that returns the words a test wrote down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "random/random_source.hpp"

namespace dpcov::test {

/// Hands out the given words in order, then throws std::out_of_range.
class ScriptedRandomSource final : public RandomSource {
public:
    explicit ScriptedRandomSource(std::vector<std::uint64_t> words) : words_(std::move(words)) {}

    std::uint64_t next_word() override {
        if (used_ == words_.size()) {
            throw std::out_of_range("the script has no more words");
        }
        return words_[used_++];
    }
    [[nodiscard]] bool is_secure() const noexcept override { return false; }

    /// How many words were taken.
    [[nodiscard]] std::size_t used() const noexcept { return used_; }

private:
    std::vector<std::uint64_t> words_;
    std::size_t used_ = 0;
};

}  // namespace dpcov::test
