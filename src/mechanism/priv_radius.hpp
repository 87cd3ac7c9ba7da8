// PrivRadius: a radius that holds nearly every row, and is at most twice the data's own.
//
// Source       Dong, Yi 2021, Universal private estimators (arXiv 2111.02598), as Dong, Liang, Yi
//              2022, Lemma 10 and Algorithm 3, line 1 use it
// Neighbours   replace one row, or add or remove one, with a noisy count for n
// Sensitivity  1: the number of rows outside a ball
// Budget       epsilon by the sparse vector technique; epsilon^2 / 2 of rho
// Output       j with radius 2^-j B, 0 <= j <= 2 d n: the smallest of the balls 2^-2dn B,
//              2^-(2dn-1) B, ..., B that appears to leave out at most
//              (6 / epsilon) log(2 / beta) rows
// Assumes      nothing beyond SVT
// Proof        docs/privacy.md#privradius
#pragma once

#include <cstdint>

#include "dpcov/budget.hpp"
#include "mechanism/counted_moment.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// d n, the exponent of the smallest threshold that is looked at; at most 2^62.
[[nodiscard]] std::uint64_t finest_exponent(const CountedMoment& moment);

/// 2 d n, the exponent of the smallest radius that is looked at; at most 2^62.
[[nodiscard]] std::uint64_t finest_radius_exponent(const CountedMoment& moment);

/// How many rows a ball may appear to leave out and be taken, which is public:
/// (2 / epsilon) log(2 / beta) and (4 / epsilon) log(2 / beta), each rounded up; at most 2^62.
[[nodiscard]] std::uint64_t radius_slack(Epsilon epsilon, double beta);

/// Spends `epsilon`. With probability at least 1 - beta, 0 < beta < 1, the radius is less than
/// twice the norm of the longest row (or the smallest radius there is) and leaves out at most
/// radius_slack + (2 / epsilon) log(2 / beta) + (4 / epsilon) log(2 t / beta) + 2 rows, t the
/// number of balls up to the longest row. Rows that round to the zero vector count as being in
/// every ball, other rows of the last octave as filling it.
[[nodiscard]] std::uint64_t private_radius(const CountedMoment& moment, Epsilon epsilon,
                                           double beta, RandomSource& random);

}  // namespace dpcov::detail
