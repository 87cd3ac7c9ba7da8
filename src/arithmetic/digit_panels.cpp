#include "arithmetic/digit_panels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "arithmetic/parallel.hpp"
#include "arithmetic/wide_registers.hpp"

namespace dpcov::detail {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t rows_together = 4;

constexpr std::size_t rounded_up(std::size_t size, std::size_t unit) {
    return (size + unit - 1) / unit * unit;
}

// A register's width more than the tiles have: rows are written to all panels in turn, and
// multiples of a power of two would share one place in the cache.
constexpr std::size_t bytes_of_digit(std::size_t tiles) {
    return tiles * DigitPanels::tile_bytes + alignment;
}

using Doubles = double __attribute__((vector_size(64)));
using Halves = std::int32_t __attribute__((vector_size(32)));
using Integers = std::uint32_t __attribute__((vector_size(64)));

// Adding and taking away 128 in each digit makes of the bytes of a number its digits.
constexpr std::uint32_t offset = 0x808080;

DPCOV_IN_CLONES void round_to_nearest(const Doubles& x, Doubles& integer) {
    constexpr double round = 0x1.8p52;  // adding and taking it away rounds, in any register
    integer = (x + round) - round;
}

// 16 values of a row, each with its digits in its bytes.
DPCOV_IN_CLONES void read_digits(const double* values, double over_divisor, double less,
                                 Integers& integers) {
    Doubles low;
    Doubles high;
    std::memcpy(&low, values, sizeof low);
    std::memcpy(&high, values + 8, sizeof high);
    round_to_nearest(low * over_divisor, low);
    round_to_nearest(high * over_divisor, high);
    low -= less;
    high -= less;
    const Halves first = __builtin_convertvector(low, Halves);
    const Halves second = __builtin_convertvector(high, Halves);
    integers = (Integers)__builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                                 11, 12, 13, 14, 15);
    integers = (integers + offset) ^ offset;
}

// Of four rows at 16 columns, their digits `digit`: those of a column together.
DPCOV_IN_CLONES void write_digits(const std::array<Integers, rows_together>& rows, unsigned digit,
                                  std::int8_t* to) {
    const unsigned shift = 8 * digit;
    const Integers together = ((rows[0] >> shift) & 255U) | (((rows[1] >> shift) & 255U) << 8U) |
                              (((rows[2] >> shift) & 255U) << 16U) |
                              (((rows[3] >> shift) & 255U) << 24U);
    std::memcpy(to, &together, sizeof together);
}

struct Target {
    std::int8_t* begin = nullptr;  // of four rows, in the first panel's first digit
    std::size_t digits = 0;
    std::size_t bytes_of_digit = 0;  // of all rows, in one panel
    double over_divisor = 1.0;
    double offset = 0.0;
};

// Puts four rows, of which those from `count` on are zeros, where they belong.
DPCOV_FOR_WIDE_REGISTERS void put_four(const double* rows, std::size_t count, std::size_t d,
                                       std::size_t panels, Target to) {
    constexpr std::size_t columns = DigitPanels::panel_columns;
    for (std::size_t panel = 0; panel < panels; ++panel) {
        const std::size_t first = panel * columns;
        const std::size_t values = first < d ? std::min(columns, d - first) : 0;
        std::array<Integers, rows_together> four{};
        for (std::size_t i = 0; i < count; ++i) {
            if (values == columns) {
                read_digits(rows + i * d + first, to.over_divisor, to.offset, four[i]);
            } else {
                std::array<double, columns> some{};
                std::copy_n(rows + i * d + first, values, some.begin());
                read_digits(some.data(), to.over_divisor, to.offset, four[i]);
            }
        }
        for (unsigned digit = 0; digit < to.digits; ++digit) {
            write_digits(four, digit, to.begin);
            to.begin += to.bytes_of_digit;
        }
    }
}

// Whether all are multiples of it, which is an integer of magnitude at most 2^20, as they are.
DPCOV_FOR_WIDE_REGISTERS bool are_multiples(const double* integers, std::size_t size,
                                            double divisor) {
    const double over_divisor = 1.0 / divisor;
    Doubles worst{};
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        Doubles x;
        std::memcpy(&x, integers + i, sizeof x);
        Doubles multiple;
        round_to_nearest(x * over_divisor, multiple);
        const Doubles rest = multiple * divisor - x;
        worst = rest != 0.0 ? rest : worst;
    }
    for (std::size_t lane = 0; lane < 8; ++lane) {
        if (worst[lane] != 0.0) {
            return false;
        }
    }
    for (; i < size; ++i) {
        if (std::nearbyint(integers[i] * over_divisor) * divisor != integers[i]) {
            return false;
        }
    }
    return true;
}

// Of these integers and `with`; 0 of zeros.
double common_divisor(std::span<const double> integers, double with) {
    auto divisor = static_cast<std::int64_t>(with);
    for (const double x : integers) {
        if (divisor == 1) {
            break;
        }
        divisor = std::gcd(divisor, static_cast<std::int64_t>(x));
    }
    return static_cast<double>(divisor);
}

std::size_t digits_of(double largest) {
    return largest <= 127.0 ? 1 : largest <= 127.0 * 257.0 ? 2 : 3;
}

struct Range {
    double least = 0.0;
    double greatest = 0.0;

    [[nodiscard]] double largest() const { return std::fmax(-least, greatest); }
};

// With zero, which is nearly always there.
DPCOV_FOR_WIDE_REGISTERS Range range_of(const double* values, std::size_t size) {
    constexpr std::size_t chains = 4;  // so that none waits for its last step
    constexpr std::size_t lanes = 8;
    std::array<Doubles, chains> least{};
    std::array<Doubles, chains> greatest{};
    std::size_t i = 0;
    for (; i + chains * lanes <= size; i += chains * lanes) {
        for (std::size_t chain = 0; chain < chains; ++chain) {
            Doubles x;
            std::memcpy(&x, values + i + chain * lanes, sizeof x);
            least[chain] = x < least[chain] ? x : least[chain];
            greatest[chain] = x > greatest[chain] ? x : greatest[chain];
        }
    }
    Range range;
    for (std::size_t chain = 0; chain < chains; ++chain) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            range.least = std::min(range.least, least[chain][lane]);
            range.greatest = std::max(range.greatest, greatest[chain][lane]);
        }
    }
    for (; i < size; ++i) {
        range.least = std::min(range.least, values[i]);
        range.greatest = std::max(range.greatest, values[i]);
    }
    return range;
}

// Of integers in that range, all of them multiples of the divisor.
DigitForm form_of(const Range& range, double divisor) {
    const DigitForm form{.divisor = divisor, .digits = digits_of(range.largest() / divisor)};
    if (form.digits == 1 || range.greatest - range.least > 255.0 * divisor) {
        return form;
    }
    const double middle = std::floor((range.least + range.greatest + divisor) / (2.0 * divisor));
    return {.divisor = divisor, .digits = 1, .offset = middle};
}

}  // namespace

DigitForm digit_form(std::span<const double> rows, std::size_t d) noexcept {
    const Range range = range_of(rows.data(), rows.size());
    const DigitForm undivided = form_of(range, 1.0);
    double divisor = 0.0;
    for (std::size_t at = 0; at < rows.size(); at += d) {
        if (divisor == 0.0 || !are_multiples(rows.data() + at, d, divisor)) {
            divisor = common_divisor(rows.subspan(at, d), divisor);
        }
        if (divisor != 0.0 && form_of(range, divisor).digits == undivided.digits) {
            return undivided;
        }
    }
    return divisor == 0.0 ? DigitForm{} : form_of(range, divisor);
}

std::size_t DigitPanels::bytes(std::size_t rows, std::size_t d) noexcept {
    const std::size_t panels = rounded_up(d, 2 * panel_columns) / panel_columns;
    return panels * most_digits * bytes_of_digit(rounded_up(rows, tile_rows) / tile_rows) +
           alignment;
}

DigitPanels::DigitPanels(HugePageVector<std::int8_t>& memory, std::size_t most_rows, std::size_t d)
    : d_(d), panels_(rounded_up(d, 2 * panel_columns) / panel_columns) {
    memory.resize(std::max(memory.size(), bytes(most_rows, d)));
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    begin_ = memory.data() + (rounded_up(address, alignment) - address);
}

void DigitPanels::set(std::span<const double> rows, const DigitForm& form,
                      unsigned threads) noexcept {
    const std::size_t count = rows.size() / d_;
    tiles_ = rounded_up(count, tile_rows) / tile_rows;
    digits_ = form.digits;
    bytes_of_digit_ = bytes_of_digit(tiles_);
    parallel_ranges(threads, tiles_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin * tile_rows; row < end * tile_rows; row += rows_together) {
            const std::size_t there = row < count ? std::min(rows_together, count - row) : 0;
            put_four(rows.data() + std::min(row, count) * d_, there, d_, panels_,
                     {.begin = begin_ + row * panel_columns,
                      .digits = digits_,
                      .bytes_of_digit = bytes_of_digit_,
                      .over_divisor = 1.0 / form.divisor,
                      .offset = form.offset});
        }
    });
}

}  // namespace dpcov::detail
