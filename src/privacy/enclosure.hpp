// Enclosure arithmetic: every result encloses the exact value, so one end of it is a safe bound.
//
// The privacy conversions must never be wrong in the unsafe direction, and the accuracy of a libm
// is promised by nobody. MPFR rounds each operation in the direction asked for; an enclosure keeps
// the two directions apart, so that a formula can be written as it stands in the paper.
#pragma once

#include <mpfr.h>

#include "arithmetic/real.hpp"

namespace dpcov::detail {

/// The real numbers between two floats, of 256 bits or more: a result has as many as the operand
/// that has the most. Ends may be infinite; never empty, never NaN as long as the operations'
/// conditions are met.
class Enclosure {
public:
    /// The one point `value` (finite).
    Enclosure(double value);  // NOLINT(google-explicit-constructor): numbers in formulas
    /// The same with that many bits, at least 256: how tight the ends of what is computed from it
    /// are rests on this, not whether they enclose.
    Enclosure(double value, mpfr_prec_t precision);
    Enclosure(const Enclosure& other);
    Enclosure& operator=(const Enclosure&) = delete;
    ~Enclosure() = default;

    /// The largest double <= every point. Rounds through the subnormal range, overflows to -inf.
    [[nodiscard]] double lower() const;
    /// The smallest double >= every point. Rounds through the subnormal range, overflows to +inf.
    [[nodiscard]] double upper() const;
    /// Bits of its ends.
    [[nodiscard]] mpfr_prec_t precision_bits() const { return lower_.bits(); }

    friend Enclosure operator+(const Enclosure& a, const Enclosure& b);
    friend Enclosure operator-(const Enclosure& a, const Enclosure& b);
    /// Both factors >= 0.
    friend Enclosure operator*(const Enclosure& a, const Enclosure& b);
    /// The divisor > 0.
    friend Enclosure operator/(const Enclosure& a, const Enclosure& b);
    friend Enclosure exp(const Enclosure& a);
    /// Of points > 0.
    friend Enclosure log(const Enclosure& a);
    /// log(1 + a), of points > -1.
    friend Enclosure log1p(const Enclosure& a);
    /// Of points >= 0.
    friend Enclosure sqrt(const Enclosure& a);
    /// 2 / sqrt(pi) times the integral of exp(-t^2) from a on.
    friend Enclosure erfc(const Enclosure& a);

private:
    struct Precision {
        mpfr_prec_t bits;
    };
    /// Not a number yet.
    explicit Enclosure(Precision precision);
    /// That of a result.
    [[nodiscard]] static Precision precision_of(const Enclosure& a) { return {a.precision_bits()}; }
    [[nodiscard]] static Precision precision_of(const Enclosure& a, const Enclosure& b);

    Real lower_;
    Real upper_;
};

}  // namespace dpcov::detail
