// PrivRadius: a radius that holds nearly every row, and is at most twice the data's own.
//
// Source       Dong, Liang, Yi 2022, section 4 (PrivRadius)
// Neighbours   replace one row, or add or remove one, with a noisy count for n
// Sensitivity  1: the number of rows outside a ball
// Budget       epsilon by the sparse vector technique; epsilon^2 / 2 of rho
// Output       j with radius 2^-j B, 0 <= j <= d n: the smallest ball 2^-dn B, 2^-(dn-1) B, ..., B
//              that appears to leave out at most (6 / epsilon) log(2 (dn + 1) / beta) rows
// Assumes      nothing beyond SVT
// Proof        docs/privacy.md#privradius
#pragma once

#include <cstdint>

#include "dpcov/budget.hpp"
#include "dpcov/random.hpp"
#include "mechanism/counted_moment.hpp"

namespace dpcov::detail {

/// d n, the exponent of the smallest radius and the smallest threshold that are looked at.
[[nodiscard]] std::uint64_t finest_exponent(const CountedMoment& moment);

/// Spends `epsilon`; 0 < beta < 1 is the probability that the radius is more than twice the data's.
/// Rows that round to the zero vector count as being in every ball.
[[nodiscard]] std::uint64_t private_radius(const CountedMoment& moment, Epsilon epsilon,
                                           double beta, RandomSource& random);

}  // namespace dpcov::detail
