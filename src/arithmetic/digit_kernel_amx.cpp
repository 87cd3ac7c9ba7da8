#include "arithmetic/digit_kernels.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace dpcov::detail {
namespace {

#define DPCOV_AMX __attribute__((target("avx512f,amx-tile,amx-int8")))

// What LDTILECFG reads: eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileConfiguration {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::array<std::uint8_t, 14> reserved{};
    std::array<std::uint16_t, 16> bytes_per_row = {64, 64, 64, 64, 64, 64, 64, 64};
    std::array<std::uint8_t, 16> rows = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64);
constexpr TileConfiguration tile_configuration;

constexpr std::size_t row_bytes = 64;
constexpr std::size_t tile_bytes = DigitPanels::tile_bytes;

// TDPBSSD wants of its first operand a column's 64 rows in one line, where a panel has four rows of
// each column: a transposed matrix of 16 x 16 words. (Masked, for GCC 12 takes what the plain
// gather does not use for uninitialized.)
DPCOV_AMX void transpose(const std::int8_t* tile, std::int8_t* transposed) noexcept {
    const __m512i lines =
        _mm512_setr_epi32(0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240);
    for (std::size_t column = 0; column < DigitPanels::panel_columns; ++column) {
        _mm512_storeu_si512(transposed + column * row_bytes,
                            _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, lines,
                                                        tile + 4 * column, 4));
    }
}

// The digits of two panels, each tile transposed: [digit][panel][tile].
DPCOV_AMX void prepare_transposed(const DigitPanels& rows, std::size_t panel,
                                  std::int8_t* prepared) noexcept {
    for (std::size_t digit = 0; digit < rows.digits(); ++digit) {
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t tile = 0; tile < rows.tiles(); ++tile) {
                transpose(rows.tile(panel + i, digit) + tile * tile_bytes, prepared);
                prepared += tile_bytes;
            }
        }
    }
}

// Adds to tiles 0 to 3 the products of two digits: two panels', prepared, by two others'.
DPCOV_AMX inline void multiply_add(const std::int8_t* upper, const std::int8_t* lower,
                                   const std::int8_t* left, const std::int8_t* right,
                                   std::size_t tiles) noexcept {
    for (std::size_t at = 0; at < tiles * tile_bytes; at += tile_bytes) {
        _tile_loadd(4, upper + at, row_bytes);
        _tile_loadd(6, left + at, row_bytes);
        _tile_loadd(7, right + at, row_bytes);
        _tile_loadd(5, lower + at, row_bytes);
        _tile_dpbssd(0, 4, 6);
        _tile_dpbssd(1, 4, 7);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
}

// (What is read was written in other functions: the compiler does not know what tile instructions
// read.)
DPCOV_AMX void products_by_amx(const DigitPanels& rows, const std::int8_t* prepared,
                               std::size_t second_panel, std::int32_t* sums) noexcept {
    _tile_loadconfig(&tile_configuration);
    constexpr std::size_t line = kernel_columns * sizeof(std::int32_t);
    constexpr std::size_t half = DigitPanels::panel_columns;
    const std::size_t panel_bytes = rows.tiles() * tile_bytes;
    const std::size_t last = rows.digits() - 1;
    for (std::size_t w = 0; w <= 2 * last; ++w) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
        for (std::size_t a = w - std::min(w, last); a <= std::min(w, last); ++a) {
            const std::int8_t* const upper = prepared + 2 * a * panel_bytes;
            multiply_add(upper, upper + panel_bytes, rows.tile(second_panel, w - a),
                         rows.tile(second_panel + 1, w - a), rows.tiles());
        }
        std::int32_t* const to = sums + w * sums_of_weight;
        _tile_stored(0, to, line);
        _tile_stored(1, to + half, line);
        _tile_stored(2, to + half * kernel_columns, line);
        _tile_stored(3, to + half * kernel_columns + half, line);
    }
    _tile_release();
}

bool processor_has_tiles() noexcept {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned tiles = 1U << 24U;
    constexpr unsigned tiles_of_bytes = 1U << 25U;
    return __builtin_cpu_supports("avx512f") != 0 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (d & tiles) != 0 && (d & tiles_of_bytes) != 0;
}

// Linux saves a thread's tiles only for processes that ask for it.
bool system_saves_tiles() noexcept {
    constexpr long request_permission = 0x1023;
    constexpr long tile_data = 18;
    return ::syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

const DigitKernel* amx_digit_kernel() noexcept {
    static constexpr DigitKernel kernel = {.prepare = &prepare_transposed,
                                           .products = &products_by_amx};
    static const bool is_there = processor_has_tiles() && system_saves_tiles();
    return is_there ? &kernel : nullptr;
}

}  // namespace dpcov::detail

#else

namespace dpcov::detail {

const DigitKernel* amx_digit_kernel() noexcept {
    return nullptr;
}

}  // namespace dpcov::detail

#endif
