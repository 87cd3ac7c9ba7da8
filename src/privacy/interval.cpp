#include "privacy/interval.hpp"

#include <algorithm>

#include "arithmetic/mpfr_memory.hpp"

namespace dpcov::detail {

namespace {

// The product of two doubles is still exact.
constexpr mpfr_prec_t usual_precision = 256;

}  // namespace

Interval::Interval(Precision precision) {
    free_mpfr_memory_with_thread();
    mpfr_init2(lower_, precision.bits);
    mpfr_init2(upper_, precision.bits);
}

Interval::Interval(double value) : Interval(value, usual_precision) {}

Interval::Interval(double value, mpfr_prec_t precision)
    : Interval(Precision{std::max(precision, usual_precision)}) {
    mpfr_set_d(lower_, value, MPFR_RNDD);
    mpfr_set_d(upper_, value, MPFR_RNDU);
}

Interval::Interval(const Interval& other) : Interval(precision_of(other)) {
    mpfr_set(lower_, other.lower_, MPFR_RNDD);
    mpfr_set(upper_, other.upper_, MPFR_RNDU);
}

Interval::~Interval() {
    mpfr_clear(lower_);
    mpfr_clear(upper_);
}

Interval::Precision Interval::precision_of(const Interval& a, const Interval& b) {
    return {std::max(a.precision_bits(), b.precision_bits())};
}

double Interval::lower() const {
    return mpfr_get_d(lower_, MPFR_RNDD);
}

double Interval::upper() const {
    return mpfr_get_d(upper_, MPFR_RNDU);
}

Interval operator+(const Interval& a, const Interval& b) {
    Interval sum(Interval::precision_of(a, b));
    mpfr_add(sum.lower_, a.lower_, b.lower_, MPFR_RNDD);
    mpfr_add(sum.upper_, a.upper_, b.upper_, MPFR_RNDU);
    return sum;
}

Interval operator-(const Interval& a, const Interval& b) {
    Interval difference(Interval::precision_of(a, b));
    mpfr_sub(difference.lower_, a.lower_, b.upper_, MPFR_RNDD);
    mpfr_sub(difference.upper_, a.upper_, b.lower_, MPFR_RNDU);
    return difference;
}

Interval operator*(const Interval& a, const Interval& b) {
    Interval product(Interval::precision_of(a, b));
    mpfr_mul(product.lower_, a.lower_, b.lower_, MPFR_RNDD);
    mpfr_mul(product.upper_, a.upper_, b.upper_, MPFR_RNDU);
    return product;
}

Interval operator/(const Interval& a, const Interval& b) {
    // Dividing by more moves a positive number down and a negative number up.
    Interval quotient(Interval::precision_of(a, b));
    mpfr_div(quotient.lower_, a.lower_, mpfr_sgn(a.lower_) >= 0 ? b.upper_ : b.lower_, MPFR_RNDD);
    mpfr_div(quotient.upper_, a.upper_, mpfr_sgn(a.upper_) >= 0 ? b.lower_ : b.upper_, MPFR_RNDU);
    return quotient;
}

Interval exp(const Interval& a) {
    Interval image(Interval::precision_of(a));
    mpfr_exp(image.lower_, a.lower_, MPFR_RNDD);
    mpfr_exp(image.upper_, a.upper_, MPFR_RNDU);
    return image;
}

Interval log(const Interval& a) {
    Interval image(Interval::precision_of(a));
    mpfr_log(image.lower_, a.lower_, MPFR_RNDD);
    mpfr_log(image.upper_, a.upper_, MPFR_RNDU);
    return image;
}

Interval log1p(const Interval& a) {
    Interval image(Interval::precision_of(a));
    mpfr_log1p(image.lower_, a.lower_, MPFR_RNDD);
    mpfr_log1p(image.upper_, a.upper_, MPFR_RNDU);
    return image;
}

Interval sqrt(const Interval& a) {
    Interval image(Interval::precision_of(a));
    mpfr_sqrt(image.lower_, a.lower_, MPFR_RNDD);
    mpfr_sqrt(image.upper_, a.upper_, MPFR_RNDU);
    return image;
}

Interval erfc(const Interval& a) {
    Interval image(Interval::precision_of(a));  // falls
    mpfr_erfc(image.lower_, a.upper_, MPFR_RNDD);
    mpfr_erfc(image.upper_, a.lower_, MPFR_RNDU);
    return image;
}

}  // namespace dpcov::detail
