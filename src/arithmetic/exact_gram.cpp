#include "arithmetic/exact_gram.hpp"

#include <cstdint>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/parallel.hpp"

namespace dpcov::detail {

void GramSum::reserve(WideSums& total, std::size_t d) {
    gram_->reserve(d * d);
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
    gram_->resize(d * d);
    product.add(rows, sign, rows_ > 0, gram_->data());
    rows_ += count;
}

void GramSum::move_to(WideSums& total, std::size_t d, unsigned threads) noexcept {
    if (rows_ == 0) {
        return;
    }
    total.resize(packed_size(d));
    constexpr std::size_t worth_a_thread = 512;
    parallel_ranges(d < worth_a_thread ? 1 : threads, d, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            const double* from = gram_->data() + j * d;
            const std::size_t to = packed_index(0, j);
            for (std::size_t i = 0; i <= j; ++i) {
                total.add(to + i, static_cast<std::int64_t>(from[i]));
            }
        }
    });
    rows_ = 0;
}

void GramSum::free() noexcept {
    HugePageVector<double>().swap(*gram_);
    rows_ = 0;
}

}  // namespace dpcov::detail
