// The exact decision whether a point under the staircase lies under the bell.
#pragma once

#include "arithmetic/real.hpp"
#include "random/half_normal_table.hpp"
#include "random/lazy_number.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// result = A exp(-x^2 / 2) / height, height = table.height(cell) / 2^halvings: over the whole
/// interval in which x is known to lie, a lower bound for MPFR_RNDD and an upper one for MPFR_RNDU.
void acceptance_bound(Real& result, const LazyNumber& x, const HalfNormalTable& table,
                      std::size_t cell, unsigned halvings, mpfr_rnd_t rounding);

/// V < A exp(-x^2 / 2) / height: draws digits of V and x until the enclosures of both sides are
/// apart. The digits drawn of x stay in x.
[[nodiscard]] bool accepted(RandomSource& random, LazyNumber v, LazyNumber& x,
                            const HalfNormalTable& table, std::size_t cell, unsigned halvings);

}  // namespace dpcov::detail
