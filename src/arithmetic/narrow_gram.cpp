#include "arithmetic/narrow_gram.hpp"

#ifdef __x86_64__

#include <immintrin.h>

#include <algorithm>
#include <utility>

#include "arithmetic/parallel.hpp"

namespace dpcov::detail {
namespace {

#define DPCOV_AVX512 __attribute__((target("avx512f")))
#define DPCOV_INTO_AVX512 __attribute__((target("avx512f"), always_inline))

constexpr std::size_t lanes = 8;  // doubles of a register
// As many columns times registers as there are registers for their sums.
constexpr std::size_t most_columns = 8;
constexpr std::size_t most_registers = 3;
// Doubles of rows at a time, which stay in a cache while all columns use them.
constexpr std::size_t doubles_at_a_time = std::size_t{1} << 15U;
// Products that take longer than it takes to start a thread.
constexpr std::size_t worth_threads = std::size_t{1} << 26U;

struct RowBlock {
    const double* data;
    std::size_t count;
    std::size_t d;
};

struct Destination {
    Triangle gram;
    double sign = 1.0;
    bool keep = false;
};

// Calls f(constant) for the constants 0, 1, ..., so that the compiler sees which register is meant.
template <class F, std::size_t... Constants>
DPCOV_INTO_AVX512 inline void for_each_constant(std::index_sequence<Constants...> /*of*/,
                                                const F& f) noexcept {
    (f(std::integral_constant<std::size_t, Constants>{}), ...);
}

template <std::size_t Count, class F>
DPCOV_INTO_AVX512 inline void for_constants_below(const F& f) noexcept {
    for_each_constant(std::make_index_sequence<Count>{}, f);
}

// The first `count` lanes.
__mmask8 first_lanes(std::size_t count) noexcept {
    return static_cast<__mmask8>((1U << std::min(count, lanes)) - 1);
}

// Of entries (row, column), (row + 1, column), ... of the Gram those that are in its half.
__mmask8 lanes_of_half(Half half, std::size_t row, std::size_t column) noexcept {
    if (half == Half::upper) {
        return first_lanes(column + 1 - std::min(row, column + 1));
    }
    return static_cast<__mmask8>(~first_lanes(column - std::min(row, column)));
}

// Entries (row + i, column + j) of the Gram, i < 8 registers, j < columns.
template <std::size_t Columns, std::size_t Registers>
DPCOV_INTO_AVX512 inline void add_tile(const RowBlock& rows, std::size_t row, std::size_t column,
                                       const Destination& to) noexcept {
    __m512d sums[Columns * Registers];  // NOLINT(*-avoid-c-arrays): an array of registers
    for_constants_below<Columns * Registers>(
        [&](auto at) DPCOV_INTO_AVX512 { sums[at] = _mm512_setzero_pd(); });
    // The last register may reach beyond the row.
    const __mmask8 last = first_lanes(rows.d - row - lanes * (Registers - 1));
    for (std::size_t k = 0; k < rows.count; ++k) {
        const double* const values = rows.data + k * rows.d;
        __m512d factors[Registers];  // NOLINT(*-avoid-c-arrays)
        for_constants_below<Registers>([&](auto r) DPCOV_INTO_AVX512 {
            const double* const from = values + row + lanes * r;
            factors[r] =
                r + 1 < Registers ? _mm512_loadu_pd(from) : _mm512_maskz_loadu_pd(last, from);
        });
        for_constants_below<Columns>([&](auto j) DPCOV_INTO_AVX512 {
            const __m512d factor = _mm512_set1_pd(values[column + j]);
            for_constants_below<Registers>([&](auto r) DPCOV_INTO_AVX512 {
                __m512d& sum = sums[j * Registers + r];
                sum = _mm512_fmadd_pd(factor, factors[r], sum);
            });
        });
    }
    const __m512d sign = _mm512_set1_pd(to.sign);
    for_constants_below<Columns>([&](auto j) DPCOV_INTO_AVX512 {
        for_constants_below<Registers>([&](auto r) DPCOV_INTO_AVX512 {
            const std::size_t first = row + lanes * r;
            const __mmask8 mask = lanes_of_half(to.gram.half, first, column + j) &
                                  (r + 1 < Registers ? first_lanes(lanes) : last);
            double* const entries = to.gram.data + first + (column + j) * to.gram.stride;
            const __m512d old = _mm512_maskz_loadu_pd(to.keep ? mask : __mmask8{0}, entries);
            _mm512_mask_storeu_pd(entries, mask,
                                  _mm512_fmadd_pd(sign, sums[j * Registers + r], old));
        });
    });
}

// The entries of Columns columns from `column` on that are in the half, a few registers at a time.
template <std::size_t Columns>
DPCOV_INTO_AVX512 inline void add_strip(const RowBlock& rows, std::size_t column,
                                        const Destination& to) noexcept {
    const bool upper = to.gram.half == Half::upper;
    std::size_t row = upper ? 0 : column;
    std::size_t left = upper ? column / lanes + 1 : (rows.d - column + lanes - 1) / lanes;
    while (left > 0) {
        // Four are two and two: a single one would wait for itself.
        const std::size_t taken = left == 4 ? 2 : std::min(left, most_registers);
        if (taken == 3) {
            add_tile<Columns, 3>(rows, row, column, to);
        } else if (taken == 2) {
            add_tile<Columns, 2>(rows, row, column, to);
        } else {
            add_tile<Columns, 1>(rows, row, column, to);
        }
        row += taken * lanes;
        left -= taken;
    }
}

DPCOV_AVX512 void add_columns(const RowBlock& rows, std::size_t column,
                              const Destination& to) noexcept {
    const std::size_t columns = std::min(most_columns, rows.d - column);
    for_constants_below<most_columns>([&](auto fewer) DPCOV_INTO_AVX512 {
        if (columns == fewer + 1) {
            add_strip<fewer + 1>(rows, column, to);
        }
    });
}

void narrow_gram(std::span<const double> rows, std::size_t d, double sign, bool keep,
                 const Triangle& gram, unsigned threads) noexcept {
    const std::size_t count = rows.size() / d;
    const std::size_t most = std::max<std::size_t>(doubles_at_a_time / d, 1);
    const unsigned parts = count * d * d < worth_threads ? 1 : threads;
    // In turn, for the later columns have more rows above them, and fewer below.
    parallel_ranges(parts, parts, [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part) {
            for (std::size_t done = 0; done < count; done += most) {
                const RowBlock block{
                    .data = rows.data() + done * d, .count = std::min(most, count - done), .d = d};
                const Destination to{.gram = gram, .sign = sign, .keep = keep || done > 0};
                for (std::size_t column = part * most_columns; column < d;
                     column += parts * most_columns) {
                    add_columns(block, column, to);
                }
            }
        }
    });
}

}  // namespace

NarrowGram* usable_narrow_gram() noexcept {
    return __builtin_cpu_supports("avx512f") != 0 ? &narrow_gram : nullptr;
}

}  // namespace dpcov::detail

#else

namespace dpcov::detail {

NarrowGram* usable_narrow_gram() noexcept {
    return nullptr;
}

}  // namespace dpcov::detail

#endif
