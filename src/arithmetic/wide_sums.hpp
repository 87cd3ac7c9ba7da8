// Exact sums of which half the memory is hardly ever written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "arithmetic/huge_pages.hpp"
#include "arithmetic/wide_integer.hpp"

namespace dpcov::detail {

/// So many words, zeros.
[[nodiscard]] std::shared_ptr<std::int64_t[]> words_of_zeros(std::size_t count);

/// Sums of 128 bits, entry by entry: high * 2^64 + low, where low has a sign. An entry from -2^63
/// to 2^63 - 1, as all of fewer than 2^23 rows are (docs/privacy.md#exact-gram), has no high word.
/// Where the system gives out memory as zeros, the page that it would stand in is then never
/// written, nor taken.
class WideSums {
public:
    WideSums() = default;
    /// Empty sums in memory of zeros that is theirs alone, of 2 `capacity` words.
    WideSums(const std::shared_ptr<std::int64_t[]>& words, std::size_t capacity);
    WideSums(const WideSums& other);
    WideSums(WideSums&& other) noexcept { swap(other); }
    /// Into the memory that there is, where it is enough.
    WideSums& operator=(const WideSums& other);
    WideSums& operator=(WideSums&& other) noexcept {
        WideSums moved(std::move(other));
        swap(moved);
        return *this;
    }
    ~WideSums() = default;

    /// Finds the memory for so many entries of empty sums, so that resize() cannot fail.
    void reserve(std::size_t size);
    /// Makes so many zeros of empty sums; others have that many already. All low words are written,
    /// so that what is added does not decide which pages of them are resident.
    void resize(std::size_t size);
    /// The same for who puts a value into each entry then.
    void resize_unwritten(std::size_t size);
    /// No entries; the memory stays.
    void clear() noexcept;
    /// Neither entries nor memory, even if what they were in is shared with other sums.
    void forget() noexcept;
    /// Has empty sums keep their low words there from now on: as many as there was room for,
    /// whatever is written in them.
    void keep_low_words_in(std::shared_ptr<std::int64_t[]> words) noexcept {
        low_ = std::move(words);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    [[nodiscard]] Int128 operator[](std::size_t i) const noexcept {
        return static_cast<Int128>((static_cast<UInt128>(high_.get()[i]) << 64U) +
                                   static_cast<UInt128>(low_.get()[i]));
    }
    void add(std::size_t i, std::int64_t value) noexcept {
        // What went over comes back on the other side, 2^64 away.
        if (__builtin_add_overflow(low_.get()[i], value, &low_.get()[i])) {
            high_.get()[i] += value < 0 ? -1 : 1;
        }
    }
    /// The same where there is zero, which is not read.
    void put(std::size_t i, std::int64_t value) noexcept { low_.get()[i] = value; }
    /// Of an integer of 128 bits, whichever.
    void set(std::size_t i, Int128 value) noexcept;
    /// Entry by entry; nothing where there are none to add, else of sums of one size.
    void add(const WideSums& other);

    friend bool operator==(const WideSums& a, const WideSums& b) noexcept;

private:
    void swap(WideSums& other) noexcept;

    std::shared_ptr<std::int64_t[]> low_;
    std::shared_ptr<std::int64_t[]> high_;  // zeros from size_ on
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace dpcov::detail
