#include "arithmetic/digit_kernels.hpp"

#ifdef __x86_64__

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace dpcov::detail {
namespace {

#define DPCOV_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

constexpr std::size_t quad = 64;         // bytes: four rows of a panel
constexpr std::size_t rows_of_sums = 8;  // as many, of 32 columns, as registers hold

using DigitSums = std::array<std::int32_t, kernel_columns>;

struct TwoPanels {
    __m512i left;
    __m512i right;
};

std::int32_t four_digits(const std::int8_t* at) noexcept {
    std::int32_t digits = 0;
    std::memcpy(&digits, at, sizeof digits);
    return digits;
}

std::size_t quads(const DigitPanels& rows) noexcept {
    return rows.tiles() * (DigitPanels::tile_bytes / quad);
}

// What the digits' offset adds to products by the columns of two panels, by digit; and which
// panels.
struct Prepared {
    std::array<DigitSums, DigitPanels::most_digits> excess;
    std::size_t panel;
};
static_assert(sizeof(Prepared) <= 2 * DigitPanels::tile_bytes);

DPCOV_VNNI void prepare_excess(const DigitPanels& rows, std::size_t panel,
                               std::int8_t* prepared) noexcept {
    Prepared all{.excess = {}, .panel = panel};
    const __m512i offset = _mm512_set1_epi8(-128);  // 128, unsigned
    for (std::size_t digit = 0; digit < rows.digits(); ++digit) {
        for (std::size_t i = 0; i < 2; ++i) {
            const std::int8_t* const tile = rows.tile(panel + i, digit);
            __m512i total = _mm512_setzero_si512();
            for (std::size_t q = 0; q < quads(rows); ++q) {
                total = _mm512_dpbusd_epi32(total, offset, _mm512_loadu_si512(tile + q * quad));
            }
            _mm512_storeu_si512(all.excess[digit].data() + i * DigitPanels::panel_columns, total);
        }
    }
    std::memcpy(prepared, &all, sizeof all);
}

// Sums [w] of eight columns of a panel with 32 of the second ones, and no excess. The instruction
// multiplies unsigned bytes by signed ones, so the second ones' digits get 128 more.
DPCOV_VNNI void eight_columns(const DigitPanels& rows, std::size_t panel, std::size_t column,
                              std::size_t second_panel, std::size_t w, const std::int32_t* excess,
                              std::int32_t* sums) noexcept {
    std::array<TwoPanels, rows_of_sums> total{};
    const __m512i offset = _mm512_set1_epi8(-128);
    const std::size_t last = rows.digits() - 1;
    for (std::size_t a = w - std::min(w, last); a <= std::min(w, last); ++a) {
        const std::int8_t* const first = rows.tile(panel, a) + 4 * column;
        const std::int8_t* const left = rows.tile(second_panel, w - a);
        const std::int8_t* const right = rows.tile(second_panel + 1, w - a);
        for (std::size_t q = 0; q < quads(rows); ++q) {
            const __m512i x = _mm512_xor_si512(_mm512_loadu_si512(left + q * quad), offset);
            const __m512i y = _mm512_xor_si512(_mm512_loadu_si512(right + q * quad), offset);
            for (std::size_t m = 0; m < rows_of_sums; ++m) {
                const __m512i z = _mm512_set1_epi32(four_digits(first + q * quad + 4 * m));
                total[m].left = _mm512_dpbusd_epi32(total[m].left, x, z);
                total[m].right = _mm512_dpbusd_epi32(total[m].right, y, z);
            }
        }
    }
    for (std::size_t m = 0; m < rows_of_sums; ++m) {
        const __m512i too_much = _mm512_set1_epi32(excess[m]);
        std::int32_t* const to = sums + m * kernel_columns;
        _mm512_storeu_si512(to, _mm512_sub_epi32(total[m].left, too_much));
        _mm512_storeu_si512(to + DigitPanels::panel_columns,
                            _mm512_sub_epi32(total[m].right, too_much));
    }
}

void products_by_vnni(const DigitPanels& rows, const std::int8_t* prepared,
                      std::size_t second_panel, std::int32_t* sums) noexcept {
    Prepared first{};
    std::memcpy(&first, prepared, sizeof first);
    const std::size_t last = rows.digits() - 1;
    for (std::size_t w = 0; w <= 2 * last; ++w) {
        DigitSums excess{};
        for (std::size_t a = w - std::min(w, last); a <= std::min(w, last); ++a) {
            std::transform(excess.begin(), excess.end(), first.excess[a].begin(), excess.begin(),
                           std::plus());
        }
        for (std::size_t m = 0; m < kernel_columns; m += rows_of_sums) {
            eight_columns(rows, first.panel + m / DigitPanels::panel_columns,
                          m % DigitPanels::panel_columns, second_panel, w, excess.data() + m,
                          sums + (w * kernel_columns + m) * kernel_columns);
        }
    }
}

}  // namespace

const DigitKernel* vnni_digit_kernel() noexcept {
    static constexpr DigitKernel kernel = {.prepare = &prepare_excess,
                                           .products = &products_by_vnni};
    return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vnni") != 0
               ? &kernel
               : nullptr;
}

}  // namespace dpcov::detail

#else

namespace dpcov::detail {

const DigitKernel* vnni_digit_kernel() noexcept {
    return nullptr;
}

}  // namespace dpcov::detail

#endif
