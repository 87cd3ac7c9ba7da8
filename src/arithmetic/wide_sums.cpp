#include "arithmetic/wide_sums.hpp"

#include <algorithm>
#include <utility>

#include "arithmetic/resident_memory.hpp"

namespace dpcov::detail {

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
    if (size > low_.capacity()) {
        const std::size_t bytes = size * sizeof(std::int64_t);
        std::unique_ptr<std::int64_t[], Free> high(
            static_cast<std::int64_t*>(allocate_zeros_in_huge_pages(bytes)), Free{bytes});
        low_.reserve(size);
        high_ = std::move(high);
    }
}

void WideSums::touch() noexcept {
    if (high_ != nullptr) {
        detail::touch(low_.data(), high_.get_deleter().bytes);
        detail::touch(high_.get(), high_.get_deleter().bytes);
    }
}

void WideSums::resize(std::size_t size) {
    reserve(size);
    low_.resize(size);
}

void WideSums::clear() noexcept {
    for (std::size_t i = 0; i < size(); ++i) {
        if (high_[i] != 0) {
            high_[i] = 0;
        }
    }
    low_.clear();
}

void WideSums::set(std::size_t i, Int128 value) noexcept {
    // Modulo 2^128: a damaged file may hold any integer.
    const auto bits = static_cast<UInt128>(value);
    low_[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(bits));
    const auto high = static_cast<std::int64_t>(
        static_cast<std::uint64_t>((bits - static_cast<UInt128>(low_[i])) >> 64U));
    if (high != high_[i]) {
        high_[i] = high;
    }
}

HugePageVector<Int128> WideSums::integers() const {
    HugePageVector<Int128> integers(size());
    for (std::size_t i = 0; i < size(); ++i) {
        integers[i] = (*this)[i];
    }
    return integers;
}

void WideSums::add(const WideSums& other) {
    if (other.empty()) {
        return;
    }
    resize(other.size());
    for (std::size_t i = 0; i < size(); ++i) {
        add(i, other.low_[i]);
        if (other.high_[i] != 0) {
            high_[i] += other.high_[i];
        }
    }
}

bool operator==(const WideSums& a, const WideSums& b) noexcept {
    return a.low_ == b.low_ && std::equal(a.high_.get(), a.high_.get() + a.size(), b.high_.get());
}

}  // namespace dpcov::detail
