#include "arithmetic/digit_gram.hpp"

#include <algorithm>
#include <cstring>

#include "arithmetic/parallel.hpp"
#include "arithmetic/wide_registers.hpp"

namespace dpcov::detail {
namespace {

using WeighedSums = double __attribute__((vector_size(64)));
using SumsOfWeight = std::int32_t __attribute__((vector_size(32)));
constexpr std::size_t at_once = 8;

// factor (of_column + of_rows + sum_w 256^w sums[w]) at eight columns. Each value on the way is an
// integer or, of the first two, half of one, and what it is a part of is at most 2^53: exact.
DPCOV_IN_CLONES void weigh(const std::int32_t* sums, std::size_t weights, double of_column,
                           const double* of_rows, double factor, WeighedSums& total) {
    total = WeighedSums{};
    for (std::size_t w = weights; w-- > 0;) {
        SumsOfWeight of_weight;
        std::memcpy(&of_weight, sums + w * sums_of_weight, sizeof of_weight);
        total = total * 256.0 + __builtin_convertvector(of_weight, WeighedSums);
    }
    WeighedSums more;
    std::memcpy(&more, of_rows, sizeof more);
    total = (total + (more + of_column)) * factor;
}

struct Block {
    std::size_t column = 0;  // of the Gram, the first
    std::size_t row = 0;
    std::size_t columns = 0;  // that there are, at most 32
    std::size_t rows = 0;
};

struct BlockRows {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The rows of its column m that are in that half.
BlockRows rows_of(const Block& block, std::size_t m, Half half) {
    if (block.column != block.row) {
        return {.begin = 0, .end = block.rows};
    }
    return half == Half::upper ? BlockRows{.begin = 0, .end = m + 1}
                               : BlockRows{.begin = m, .end = block.rows};
}

DPCOV_FOR_WIDE_REGISTERS void add_block(const Block& block, const std::int32_t* sums,
                                        std::size_t weights, const double* of_offset, double factor,
                                        bool keep, const Triangle& gram) {
    for (std::size_t m = 0; m < block.columns; ++m) {
        double* const to = gram.data + (block.column + m) * gram.stride + block.row;
        const double of_column = of_offset[block.column + m];
        const double* const of_rows = of_offset + block.row;
        const auto [begin, end] = rows_of(block, m, gram.half);
        WeighedSums total;
        for (std::size_t n = begin / at_once * at_once; n < end; n += at_once) {
            weigh(sums + m * kernel_columns + n, weights, of_column, of_rows + n, factor, total);
            if (n >= begin && n + at_once <= end) {
                if (keep) {
                    WeighedSums before;
                    std::memcpy(&before, to + n, sizeof before);
                    total += before;
                }
                std::memcpy(to + n, &total, sizeof total);
            } else {
                for (std::size_t i = std::max(n, begin); i < std::min(n + at_once, end); ++i) {
                    to[i] = keep ? to[i] + total[i - n] : total[i - n];
                }
            }
        }
    }
}

}  // namespace

double DigitGram::bytes(std::size_t most_rows, std::size_t d, unsigned threads) noexcept {
    if (d < least_columns) {
        return 0.0;
    }
    return static_cast<double>(DigitPanels::bytes(most_rows, d)) +
           threads *
               static_cast<double>(prepared_bytes(most_rows) + kernel_sums * sizeof(std::int32_t)) +
           static_cast<double>((d + kernel_columns) * sizeof(double));
}

DigitGram::DigitGram(const DigitKernel& kernel, Memory& memory, std::size_t most_rows,
                     std::size_t d, unsigned threads)
    : kernel_(&kernel),
      d_(d),
      prepared_bytes_(prepared_bytes(most_rows)),
      threads_(threads),
      memory_(&memory),
      panels_(memory.digits, most_rows, d) {
    memory.prepared.resize(std::max(memory.prepared.size(), threads * prepared_bytes_));
    memory.sums.resize(std::max(memory.sums.size(), threads * kernel_sums));
    memory.of_offset.resize(panels_.panels() * DigitPanels::panel_columns);
}

void DigitGram::add(std::span<const double> rows, const DigitForm& form, double sign, bool keep,
                    const Triangle& gram) noexcept {
    panels_.set(rows, form, threads_);
    set_offset(rows, form);
    const double factor = sign * form.divisor * form.divisor;
    // In turn, for the later columns have more rows above them, and fewer below.
    parallel_ranges(threads_, threads_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t thread = begin; thread < end; ++thread) {
            const std::size_t step = std::size_t{2} * threads_;
            for (std::size_t panel = 2 * thread; panel < panels_.panels(); panel += step) {
                add_panels(panel, thread, factor, keep, gram);
            }
        }
    });
}

// Of values v_i = c_i + o with digits c_i and an offset o, v_i v_j is c_i c_j and, for each of the
// two, o (v - o/2): over n rows o (sum v - n o/2). Halves, but no less, are exact, too.
void DigitGram::set_offset(std::span<const double> rows, const DigitForm& form) noexcept {
    std::vector<double>& of_offset = memory_->of_offset;
    std::fill(of_offset.begin(), of_offset.end(), 0.0);
    if (form.offset == 0.0) {
        return;
    }
    for (std::size_t at = 0; at < rows.size(); at += d_) {
        for (std::size_t j = 0; j < d_; ++j) {
            of_offset[j] += rows[at + j];
        }
    }
    const std::size_t count = rows.size() / d_;
    const double half = 0.5 * form.offset * static_cast<double>(count);
    for (std::size_t j = 0; j < d_; ++j) {
        of_offset[j] = form.offset * (of_offset[j] / form.divisor - half);
    }
}

void DigitGram::add_panels(std::size_t first_panel, std::size_t thread, double factor, bool keep,
                           const Triangle& gram) noexcept {
    std::int8_t* const prepared = memory_->prepared.data() + thread * prepared_bytes_;
    std::int32_t* const sums = memory_->sums.data() + thread * kernel_sums;
    const auto left_of = [this](std::size_t column) {
        return std::min(kernel_columns, d_ - column);
    };
    const std::size_t column = first_panel * DigitPanels::panel_columns;
    kernel_->prepare(panels_, first_panel, prepared);
    const bool upper = gram.half == Half::upper;
    const std::size_t end = upper ? first_panel + 1 : panels_.panels();
    for (std::size_t panel = upper ? 0 : first_panel; panel < end; panel += 2) {
        const std::size_t row = panel * DigitPanels::panel_columns;
        kernel_->products(panels_, prepared, panel, sums);
        add_block({.column = column, .row = row, .columns = left_of(column), .rows = left_of(row)},
                  sums, 2 * panels_.digits() - 1, memory_->of_offset.data(), factor, keep, gram);
    }
}

bool is_exact(const DigitKernel& kernel) {
    constexpr std::size_t d = 41;  // two blocks of columns, and the end of a panel
    constexpr std::size_t count = 67;
    DigitGram::Memory memory;
    DigitGram sum(kernel, memory, count, d, 1);
    struct Range {
        std::int64_t least;
        std::int64_t greatest;
    };
    for (const auto& [least, greatest] :
         {Range{-127, 127}, {0, 255}, {-32639, 32639}, {-(1 << 20), 1 << 20}}) {
        // Words that look random: a linear congruential generator's upper bits.
        auto word = static_cast<std::uint64_t>(greatest);
        const auto size = static_cast<std::uint64_t>(greatest - least + 1);
        std::vector<double> rows(count * d);
        std::vector<std::int64_t> integers(count * d);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            word = word * 6364136223846793005U + 1442695040888963407U;
            integers[i] = static_cast<std::int64_t>((word >> 32U) % size) + least;
            rows[i] = static_cast<double>(integers[i]);
        }
        std::vector<double> both(two_triangles(d));
        const Triangle upper = triangle_in(both.data(), d, Half::upper);
        const Triangle lower = triangle_in(both.data(), d, Half::lower);
        const DigitForm form = digit_form(rows, d);
        for (const Triangle& gram : {upper, lower}) {
            sum.add(rows, form, 1.0, false, gram);
            sum.add(std::span(rows).first(3 * d), form, -1.0, true, gram);
        }
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i <= j; ++i) {
                std::int64_t expected = 0;
                for (std::size_t row = 3; row < count; ++row) {
                    expected += integers[row * d + i] * integers[row * d + j];
                }
                if (upper.data[j * upper.stride + i] != static_cast<double>(expected) ||
                    lower.data[i * lower.stride + j] != static_cast<double>(expected)) {
                    return false;
                }
            }
        }
    }
    return true;
}

const DigitKernel* usable_digit_kernel() {
    static const DigitKernel* const usable = [] {
        for (const DigitKernel* kernel : {amx_digit_kernel(), vnni_digit_kernel()}) {
            if (kernel != nullptr && is_exact(*kernel)) {
                return kernel;
            }
        }
        return static_cast<const DigitKernel*>(nullptr);
    }();
    return usable;
}

}  // namespace dpcov::detail
