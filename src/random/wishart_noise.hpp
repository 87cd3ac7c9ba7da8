// Two-sided Wishart noise: the matrix noise of pure epsilon-DP.
//
// N = P - Q, where P and Q are independent Wishart_d(d + 1, c I): P = c G G^T with d x (d + 1)
// independent N(0, 1) entries. With d + 1 degrees of freedom the density of P is proportional to
// exp(-tr P / (2 c)) on all of the positive definite cone, and nothing else.
//
// What is added is the real matrix N, and the sum is rounded to a public grid, exactly: the normal
// variables are real numbers of which more digits are drawn until every entry is decided. Doubles
// only tell, with a proved bound on their error, which entries need no second look. Derivation:
// docs/sampling.md#wishart.
#pragma once

#include <cstddef>
#include <span>

#include "arithmetic/wide_integer.hpp"
#include "random/random_source.hpp"

namespace dpcov {

/// N of scale c in lattice units for d columns, on the grid of multiples of 2^grid_log2. Entries
/// off the diagonal have mean 0 and variance 2 (d + 1) c^2, those on it 4 (d + 1) c^2; no two are
/// correlated. 2^-100 <= scale <= 2^100, 0 <= grid_log2 <= 90.
struct WishartNoise {
    double scale = 1.0;
    std::size_t columns = 1;
    int grid_log2 = 0;
};

/// Noise of that scale for a d x d matrix, on a grid of 2^20 to 2^21 steps to a deviation, or on
/// the lattice itself where that is coarser. Throws UsageError unless 2^-100 <= scale <= 2^100.
[[nodiscard]] WishartNoise wishart_noise(double scale, std::size_t d);

/// Adds fresh noise in place and rounds each sum to the nearest point of the grid. `packed` is the
/// upper triangle of a symmetric d x d matrix (packed_index), of magnitudes below 2^120. For each
/// of P and Q it takes d (d + 1) normal draws and a BLAS product of a d x (d + 1) matrix; 24 d^2
/// bytes in all. UsageError unless there are as many integers as the noise is for.
void add_wishart(RandomSource& random, std::span<Int128> packed, const WishartNoise& noise);

}  // namespace dpcov
