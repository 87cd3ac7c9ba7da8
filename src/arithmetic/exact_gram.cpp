#include "arithmetic/exact_gram.hpp"

#include <cblas.h>

#include <cstdint>

#include "arithmetic/parallel.hpp"
#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

void blas_gram(const double* rows, std::size_t count, std::size_t d, double sign, double keep,
               double* gram) {
    const auto order = static_cast<blasint>(d);
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, order, static_cast<blasint>(count), sign,
                rows, order, keep, gram, order);
}

// A BLAS with Strassen-like kernels adds before it multiplies and can round. This compares one
// product, full to the last bit that the argument allows, with integer arithmetic.
bool blas_is_exact() {
    constexpr std::size_t d = 96;
    constexpr std::size_t count = 1024;
    std::vector<double> rows(count * d);
    std::uint64_t state = 1;
    for (double& q : rows) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        // |q| <= 2^21, so 1024 products sum to at most 2^52: exact, with no bit to spare for a
        // kernel that sums entries before it multiplies.
        q = static_cast<double>(state >> 42U) - 0x1p21;
    }
    std::vector<double> gram(d * d);
    blas_gram(rows.data(), count, d, 1.0, 0.0, gram.data());
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            std::int64_t sum = 0;
            for (std::size_t row = 0; row < count; ++row) {
                sum += static_cast<std::int64_t>(rows[row * d + i]) *
                       static_cast<std::int64_t>(rows[row * d + j]);
            }
            if (gram[j * d + i] != static_cast<double>(sum)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

void require_exact_blas() {
    static const bool exact = blas_is_exact();
    if (!exact) {
        throw DeviceError(
            "the BLAS in use rounds integer products that fit in a double, so no exact Gram can be "
            "had from it; link OpenBLAS");
    }
}

void GramSum::reserve(PackedGram& total, std::size_t d) {
    gram_->reserve(d * d);
    total.reserve(d * (d + 1) / 2);
}

void GramSum::add(std::span<const double> rows, std::size_t d, PackedGram& total, unsigned threads,
                  int sign) noexcept {
    if (rows.empty()) {
        return;
    }
    const std::size_t count = rows.size() / d;
    if (rows_ + count > exact_gram_rows) {
        move_to(total, d, threads);
    }
    gram_->resize(d * d);
    blas_gram(rows.data(), count, d, sign, rows_ == 0 ? 0.0 : 1.0, gram_->data());
    rows_ += count;
}

void GramSum::move_to(PackedGram& total, std::size_t d, unsigned threads) noexcept {
    if (rows_ == 0) {
        return;
    }
    total.resize(d * (d + 1) / 2);
    constexpr std::size_t worth_a_thread = 512;
    parallel_ranges(d < worth_a_thread ? 1 : threads, d, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            const double* from = gram_->data() + j * d;
            Int128* to = total.data() + j * (j + 1) / 2;
            for (std::size_t i = 0; i <= j; ++i) {
                to[i] += static_cast<std::int64_t>(from[i]);
            }
        }
    });
    rows_ = 0;
}

}  // namespace dpcov::detail
