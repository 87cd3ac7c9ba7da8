#include "arithmetic/wide_sums.hpp"

#include <algorithm>
#include <utility>

namespace dpcov::detail {

std::shared_ptr<std::int64_t[]> words_of_zeros(std::size_t count) {
    const std::size_t bytes = count * sizeof(std::int64_t);
    return {static_cast<std::int64_t*>(allocate_zeros_in_huge_pages(bytes)),
            [bytes](std::int64_t* words) { free_zeros_in_huge_pages(words, bytes); }};
}

WideSums::WideSums(const std::shared_ptr<std::int64_t[]>& words, std::size_t capacity)
    : low_(words), high_(words, words.get() + capacity), capacity_(capacity) {}

WideSums::WideSums(const WideSums& other) {
    *this = other;
}

WideSums& WideSums::operator=(const WideSums& other) {
    if (this != &other) {
        clear();
        resize(other.size());
        add(other);
    }
    return *this;
}

void WideSums::reserve(std::size_t size) {
    if (size > capacity_) {
        std::shared_ptr<std::int64_t[]> high = words_of_zeros(size);
        low_ = words_of_zeros(size);
        high_ = std::move(high);
        capacity_ = size;
    }
}

void WideSums::resize(std::size_t size) {
    const std::size_t before = size_;
    resize_unwritten(size);
    std::fill(low_.get() + before, low_.get() + size_, 0);
}

void WideSums::resize_unwritten(std::size_t size) {
    reserve(size);
    size_ = std::max(size_, size);
}

void WideSums::clear() noexcept {
    for (std::size_t i = 0; i < size(); ++i) {
        if (high_.get()[i] != 0) {
            high_.get()[i] = 0;
        }
    }
    std::fill_n(low_.get(), size_, 0);
    size_ = 0;
}

void WideSums::forget() noexcept {
    forget_contents(low_.get(), capacity_ * sizeof(std::int64_t));
    *this = WideSums();
}

void WideSums::set(std::size_t i, Int128 value) noexcept {
    // Modulo 2^128: a damaged file may hold any integer.
    const auto bits = static_cast<UInt128>(value);
    low_.get()[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(bits));
    const auto high = static_cast<std::int64_t>(
        static_cast<std::uint64_t>((bits - static_cast<UInt128>(low_.get()[i])) >> 64U));
    if (high != high_.get()[i]) {
        high_.get()[i] = high;
    }
}

void WideSums::add(const WideSums& other) {
    if (other.empty()) {
        return;
    }
    resize(other.size());
    for (std::size_t i = 0; i < size(); ++i) {
        add(i, other.low_.get()[i]);
        if (other.high_.get()[i] != 0) {
            high_.get()[i] += other.high_.get()[i];
        }
    }
}

bool operator==(const WideSums& a, const WideSums& b) noexcept {
    const auto are_equal = [&](const std::int64_t* x, const std::int64_t* y) {
        return std::equal(x, x + a.size(), y);
    };
    return a.size() == b.size() && are_equal(a.low_.get(), b.low_.get()) &&
           are_equal(a.high_.get(), b.high_.get());
}

void WideSums::swap(WideSums& other) noexcept {
    std::swap(low_, other.low_);
    std::swap(high_, other.high_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
}

}  // namespace dpcov::detail
