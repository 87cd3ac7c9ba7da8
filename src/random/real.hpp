// A multiple-precision number (MPFR) that cleans up after itself. MPFR rounds every operation
// correctly in the direction asked for, so a value computed with MPFR_RNDD (MPFR_RNDU) throughout a
// monotone expression is a proof that the true value is at least (at most) that.
#pragma once

#include <gmp.h>
#include <mpfr.h>

#include "arithmetic/mpfr_memory.hpp"

namespace dpcov::detail {

class Real {
public:
    explicit Real(mpfr_prec_t bits) {
        free_mpfr_memory_with_thread();
        mpfr_init2(value_, bits);
    }
    ~Real() { mpfr_clear(value_); }
    Real(const Real&) = delete;
    Real& operator=(const Real&) = delete;

    // The C functions of MPFR take a Real as it is.
    operator mpfr_ptr() { return value_; }           // NOLINT(google-explicit-constructor)
    operator mpfr_srcptr() const { return value_; }  // NOLINT(google-explicit-constructor)

private:
    mpfr_t value_;
};

/// Down for up and up for down: how to round what a decreasing function is applied to.
[[nodiscard]] inline mpfr_rnd_t opposite(mpfr_rnd_t rounding) {
    return rounding == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
}

}  // namespace dpcov::detail
