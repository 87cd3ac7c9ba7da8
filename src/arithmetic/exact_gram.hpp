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

/// Adds the Gram of `count` rows of `d` integer-valued doubles (row-major) to `gram` (d * d values,
/// column-major, upper triangle), or replaces it if `first`. Exact while `gram` holds at most
/// exact_gram_rows rows. Throws DeviceError, once and for good, if the BLAS in use turns out not to
/// be exact.
void accumulate_gram(const double* rows, std::size_t count, std::size_t d, bool first,
                     std::vector<double>& gram);

/// Adds what accumulate_gram has made to `total` (d (d + 1) / 2 entries).
void add_to_total(const std::vector<double>& gram, std::size_t d, PackedGram& total,
                  unsigned threads);

}  // namespace dpcov::detail
