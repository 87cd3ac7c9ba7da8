#include "arithmetic/exact_gram.hpp"

#include <algorithm>
#include <cstdint>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/parallel.hpp"

namespace dpcov::detail {
namespace {

// Calls add(at, entry) for entries (i, j), i <= j, of begin <= j < end.
template <class Add>
void for_columns(const Triangle& gram, std::size_t begin, std::size_t end, const Add& add) {
    for (std::size_t j = begin; j < end; ++j) {
        const double* const from = gram.data + j * gram.stride;
        const std::size_t to = packed_index(0, j);
        for (std::size_t i = 0; i <= j; ++i) {
            add(to + i, static_cast<std::int64_t>(from[i]));
        }
    }
}

// The same of a lower half, where entry (i, j) stands in row j of column i. A few rows at a time:
// they are neighbours in memory.
template <class Add>
void for_rows(const Triangle& gram, std::size_t begin, std::size_t end, const Add& add) {
    constexpr std::size_t few = 8;
    for (std::size_t first = begin; first < end; first += few) {
        const std::size_t last = std::min(first + few, end) - 1;
        for (std::size_t i = 0; i <= last; ++i) {
            const double* const from = gram.data + i * gram.stride;
            for (std::size_t j = std::max(first, i); j <= last; ++j) {
                add(packed_index(i, j), static_cast<std::int64_t>(from[j]));
            }
        }
    }
}

template <class Add>
void for_entries(const Triangle& gram, std::size_t begin, std::size_t end, const Add& add) {
    if (gram.half == Half::upper) {
        for_columns(gram, begin, end, add);
    } else {
        for_rows(gram, begin, end, add);
    }
}

}  // namespace

void GramSum::reserve(WideSums& total, std::size_t d) {
    memory_->reserve(two_triangles(d));
    total.reserve(packed_size(d));
}

void GramSum::add(std::span<const double> rows, std::size_t d, WideSums& total,
                  GramProduct& product, unsigned threads, int sign) noexcept {
    if (rows.empty()) {
        return;
    }
    const std::size_t count = rows.size() / d;
    if (rows_ + count > exact_gram_rows) {
        move_to(total, d, threads);
    }
    memory_->resize(two_triangles(d));
    product.add(rows, sign, rows_ > 0, triangle_in(memory_->data(), d, half_));
    rows_ += count;
}

void GramSum::move_to(WideSums& total, std::size_t d, unsigned threads) noexcept {
    if (rows_ == 0) {
        return;
    }
    const bool first = total.empty();
    total.resize_unwritten(packed_size(d));
    const Triangle gram = triangle_in(memory_->data(), d, half_);
    constexpr std::size_t worth_a_thread = 512;
    parallel_ranges(d < worth_a_thread ? 1 : threads, d, [&](std::size_t begin, std::size_t end) {
        if (first) {
            for_entries(gram, begin, end,
                        [&](std::size_t at, std::int64_t entry) { total.put(at, entry); });
        } else {
            for_entries(gram, begin, end,
                        [&](std::size_t at, std::int64_t entry) { total.add(at, entry); });
        }
    });
    rows_ = 0;
}

}  // namespace dpcov::detail
