#include "arithmetic/gram_product.hpp"

#include <cblas.h>

#include <algorithm>
#include <chrono>

#include "arithmetic/exact_blas.hpp"

namespace dpcov::detail {
namespace {

// Fewer rows fill a tile badly, and tell little of how long more would take.
constexpr std::size_t least_rows = 64;
// Of either way, before the faster one is kept.
constexpr int tries_of_each = 3;

}  // namespace

GramProduct::GramProduct(DigitGram::Memory& memory, std::size_t most_rows, std::size_t d,
                         unsigned threads, const DigitKernel* kernel, NarrowGram* narrow)
    : most_rows_(most_rows),
      d_(d),
      threads_(threads),
      narrow_(d <= narrow_columns ? narrow : nullptr) {
    require_exact_blas();
    if (kernel != nullptr && d >= DigitGram::least_columns) {
        digits_.emplace(*kernel, memory, most_rows, d, threads);
    }
}

void GramProduct::add(std::span<const double> rows, double sign, bool keep,
                      const Triangle& gram) noexcept {
    const std::size_t count = rows.size() / d_;
    if (!digits_ || count < least_rows || count > most_rows_) {
        add_in_doubles(rows, sign, keep, gram);
        return;
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const DigitForm form = digit_form(rows, d_);
    Times& times = times_[form.digits - 1];
    const bool undecided = times.tries < 2 * tries_of_each;
    const bool by_digits = undecided ? times.tries % 2 == 0 : times.by_digits < times.in_doubles;
    if (by_digits) {
        digits_->add(rows, form, sign, keep, gram);
    } else {
        add_in_doubles(rows, sign, keep, gram);
    }
    if (undecided) {
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        double& least = by_digits ? times.by_digits : times.in_doubles;
        least = std::min(least, seconds / static_cast<double>(count));
        ++times.tries;
    }
}

void GramProduct::add_in_doubles(std::span<const double> rows, double sign, bool keep,
                                 const Triangle& gram) const noexcept {
    if (narrow_ != nullptr) {
        narrow_(rows, d_, sign, keep, gram, threads_);
        return;
    }
    const auto order = static_cast<blasint>(d_);
    cblas_dsyrk(CblasColMajor, gram.half == Half::upper ? CblasUpper : CblasLower, CblasNoTrans,
                order, static_cast<blasint>(rows.size() / d_), sign, rows.data(), order,
                keep ? 1.0 : 0.0, gram.data, static_cast<blasint>(gram.stride));
}

}  // namespace dpcov::detail
