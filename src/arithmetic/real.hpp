// A multiple-precision number (MPFR) that cleans up after itself. MPFR rounds every operation
// correctly in the direction asked for, so a value computed with MPFR_RNDD (MPFR_RNDU) throughout a
// monotone expression is a proof that the true value is at least (at most) that.
#pragma once

#include <gmp.h>
#include <mpfr.h>

namespace dpcov::detail {

/// MPFR keeps constants and spare memory for each thread, and leaves freeing them to the caller:
/// has them freed when the thread ends. Only the first call in a thread does anything.
inline void free_mpfr_memory_with_thread() {
    struct MemoryOfThread {
        MemoryOfThread() = default;
        MemoryOfThread(const MemoryOfThread&) = delete;
        MemoryOfThread& operator=(const MemoryOfThread&) = delete;
        ~MemoryOfThread() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
    };
    static const thread_local MemoryOfThread freed_when_the_thread_ends;
}

class Real {
public:
    explicit Real(mpfr_prec_t bits) {
        free_mpfr_memory_with_thread();
        mpfr_init2(value_, bits);
    }
    ~Real() { mpfr_clear(value_); }
    Real(const Real&) = delete;
    Real& operator=(const Real&) = delete;

    [[nodiscard]] mpfr_prec_t bits() const { return mpfr_get_prec(value_); }
    [[nodiscard]] int sign() const { return mpfr_sgn(value_); }

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
