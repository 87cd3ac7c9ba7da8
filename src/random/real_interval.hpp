// Intervals between two multiple-precision numbers, of any precision: what is computed from
// enclosures encloses what is computed from the numbers in them.
#pragma once

#include "arithmetic/real.hpp"
#include "random/lazy_number.hpp"

namespace dpcov::detail {

/// The real numbers between two ends, which are rounded outwards to `bits` bits. Neither copied nor
/// moved.
class RealInterval {
public:
    explicit RealInterval(mpfr_prec_t bits, double value = 0.0);

    /// [digits, digits + 1] / 2^fraction_bits.
    void set(const mpz_class& digits, int fraction_bits);
    void set(const RealInterval& other);

    /// += factor * other.
    void add_product(double factor, const RealInterval& other);
    /// += a * b.
    void add_product(const RealInterval& a, const RealInterval& b);
    /// += a^2, so that it stays >= 0.
    void add_square(const RealInterval& a);
    /// /= other, which is > 0 throughout.
    void divide(const RealInterval& other);
    /// Of what is >= 0.
    void take_root();
    /// Of what is >= 0; log(0) is minus infinity.
    void take_log();

    [[nodiscard]] mpfr_srcptr low() const { return low_; }
    [[nodiscard]] mpfr_srcptr high() const { return high_; }

private:
    Real low_;
    Real high_;
};

}  // namespace dpcov::detail
