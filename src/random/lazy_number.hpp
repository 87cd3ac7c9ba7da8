// A real number of which only the leading binary digits are known; more are drawn when a decision
// needs them.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>

#include "random/random_source.hpp"

namespace dpcov::detail {

/// A number known to lie in [digits, digits + 1] / 2^fraction_bits, and uniform there.
struct LazyNumber {
    mpz_class digits;
    int fraction_bits = 0;

    /// Draws 64 more digits.
    void extend(RandomSource& random);

    /// result = the lower end, rounded down.
    void lower_end(mpfr_ptr result) const;
    /// result = the upper end, rounded up.
    void upper_end(mpfr_ptr result) const;
};

}  // namespace dpcov::detail
