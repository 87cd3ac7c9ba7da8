// Interval arithmetic: every result encloses the exact value, so one end of it is a safe bound.
//
// The privacy conversions must never be wrong in the unsafe direction, and the accuracy of a libm
// is promised by nobody. MPFR rounds each operation in the direction asked for; an interval keeps
// the two directions apart, so that a formula can be written as it stands in the paper.
#pragma once

#include <mpfr.h>

namespace dpcov::detail {

/// The real numbers between two floats, of 256 bits or more: a result has as many as the operand
/// that has the most. Ends may be infinite; never empty, never NaN as long as the operations'
/// conditions are met.
class Interval {
public:
    /// The one point `value` (finite).
    Interval(double value);  // NOLINT(google-explicit-constructor): numbers in formulas
    /// The same with that many bits, at least 256: how tight the ends of what is computed from it
    /// are rests on this, not whether they enclose.
    Interval(double value, mpfr_prec_t precision);
    Interval(const Interval& other);
    Interval& operator=(const Interval&) = delete;
    ~Interval();

    /// The largest double <= every point. Rounds through the subnormal range, overflows to -inf.
    [[nodiscard]] double lower() const;
    /// The smallest double >= every point. Rounds through the subnormal range, overflows to +inf.
    [[nodiscard]] double upper() const;
    /// Bits of its ends.
    [[nodiscard]] mpfr_prec_t precision_bits() const { return mpfr_get_prec(lower_); }

    friend Interval operator+(const Interval& a, const Interval& b);
    friend Interval operator-(const Interval& a, const Interval& b);
    /// Both factors >= 0.
    friend Interval operator*(const Interval& a, const Interval& b);
    /// The divisor > 0.
    friend Interval operator/(const Interval& a, const Interval& b);
    friend Interval exp(const Interval& a);
    /// Of points > 0.
    friend Interval log(const Interval& a);
    /// log(1 + a), of points > -1.
    friend Interval log1p(const Interval& a);
    /// Of points >= 0.
    friend Interval sqrt(const Interval& a);
    /// 2 / sqrt(pi) times the integral of exp(-t^2) from a on.
    friend Interval erfc(const Interval& a);

private:
    struct Precision {
        mpfr_prec_t bits;
    };
    /// Not a number yet.
    explicit Interval(Precision precision);
    /// That of a result.
    [[nodiscard]] static Precision precision_of(const Interval& a) { return {a.precision_bits()}; }
    [[nodiscard]] static Precision precision_of(const Interval& a, const Interval& b);

    mpfr_t lower_;
    mpfr_t upper_;
};

}  // namespace dpcov::detail
