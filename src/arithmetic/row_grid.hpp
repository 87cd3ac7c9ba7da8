// The integers that rows are made of.
#pragma once

// Compilers may then reorder sums and take NaN for a number, and rows would be no integers.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "dpcov's privacy rests on IEEE arithmetic: compile without -ffast-math and -Ofast"
#endif
// The x87's registers round twice.
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 2 || __FLT_EVAL_METHOD__ < 0)
#error "dpcov's privacy rests on IEEE arithmetic: compile without -mfpmath=387"
#endif

namespace dpcov::detail {

/// A row that fills its norm stratum has integer norm 2^radius_bits (docs/privacy.md#placement).
inline constexpr int radius_bits = 20;

}  // namespace dpcov::detail
