// The Gram matrix of integer rows, exactly, at the speed of BLAS.
#pragma once

#include <cstddef>
#include <vector>

#include "dpcov/second_moment.hpp"

namespace dpcov::detail {

/// The most rows whose Gram is exact in doubles: with |q|^2 <= 2^(2 radius_bits) every partial sum
/// of products is at most rows * 2^(2 radius_bits) <= 2^53 in magnitude, whatever the order, fused
/// multiply-adds or threads of the BLAS underneath (docs/privacy.md#exact-gram).
inline constexpr std::size_t exact_gram_rows = std::size_t{1}
                                               << (53 - 2 * SecondMoment::radius_bits);

/// Adds the Gram of `count` <= exact_gram_rows rows of `d` integer-valued doubles (row-major) to
/// `gram` (packed, d (d + 1) / 2 entries). `scratch` is working memory that grows to d * d.
/// Throws DeviceError, once and for good, if the BLAS in use turns out not to be exact.
void add_exact_gram(const double* rows, std::size_t count, std::size_t d, PackedGram& gram,
                    std::vector<double>& scratch, unsigned threads);

}  // namespace dpcov::detail
