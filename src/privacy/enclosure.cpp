#include "privacy/enclosure.hpp"

#include <algorithm>

namespace dpcov::detail {

namespace {

// The product of two doubles is still exact.
constexpr mpfr_prec_t usual_precision = 256;

}  // namespace

Enclosure::Enclosure(Precision precision) : lower_(precision.bits), upper_(precision.bits) {}

Enclosure::Enclosure(double value) : Enclosure(value, usual_precision) {}

Enclosure::Enclosure(double value, mpfr_prec_t precision)
    : Enclosure(Precision{std::max(precision, usual_precision)}) {
    mpfr_set_d(lower_, value, MPFR_RNDD);
    mpfr_set_d(upper_, value, MPFR_RNDU);
}

Enclosure::Enclosure(const Enclosure& other) : Enclosure(precision_of(other)) {
    mpfr_set(lower_, other.lower_, MPFR_RNDD);
    mpfr_set(upper_, other.upper_, MPFR_RNDU);
}

Enclosure::Precision Enclosure::precision_of(const Enclosure& a, const Enclosure& b) {
    return {std::max(a.precision_bits(), b.precision_bits())};
}

double Enclosure::lower() const {
    return mpfr_get_d(lower_, MPFR_RNDD);
}

double Enclosure::upper() const {
    return mpfr_get_d(upper_, MPFR_RNDU);
}

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
    Enclosure sum(Enclosure::precision_of(a, b));
    mpfr_add(sum.lower_, a.lower_, b.lower_, MPFR_RNDD);
    mpfr_add(sum.upper_, a.upper_, b.upper_, MPFR_RNDU);
    return sum;
}

Enclosure operator-(const Enclosure& a, const Enclosure& b) {
    Enclosure difference(Enclosure::precision_of(a, b));
    mpfr_sub(difference.lower_, a.lower_, b.upper_, MPFR_RNDD);
    mpfr_sub(difference.upper_, a.upper_, b.lower_, MPFR_RNDU);
    return difference;
}

Enclosure operator*(const Enclosure& a, const Enclosure& b) {
    Enclosure product(Enclosure::precision_of(a, b));
    mpfr_mul(product.lower_, a.lower_, b.lower_, MPFR_RNDD);
    mpfr_mul(product.upper_, a.upper_, b.upper_, MPFR_RNDU);
    return product;
}

Enclosure operator/(const Enclosure& a, const Enclosure& b) {
    // Dividing by more moves a positive number down and a negative number up.
    Enclosure quotient(Enclosure::precision_of(a, b));
    mpfr_div(quotient.lower_, a.lower_, a.lower_.sign() >= 0 ? b.upper_ : b.lower_, MPFR_RNDD);
    mpfr_div(quotient.upper_, a.upper_, a.upper_.sign() >= 0 ? b.lower_ : b.upper_, MPFR_RNDU);
    return quotient;
}

Enclosure exp(const Enclosure& a) {
    Enclosure image(Enclosure::precision_of(a));
    mpfr_exp(image.lower_, a.lower_, MPFR_RNDD);
    mpfr_exp(image.upper_, a.upper_, MPFR_RNDU);
    return image;
}

Enclosure log(const Enclosure& a) {
    Enclosure image(Enclosure::precision_of(a));
    mpfr_log(image.lower_, a.lower_, MPFR_RNDD);
    mpfr_log(image.upper_, a.upper_, MPFR_RNDU);
    return image;
}

Enclosure log1p(const Enclosure& a) {
    Enclosure image(Enclosure::precision_of(a));
    mpfr_log1p(image.lower_, a.lower_, MPFR_RNDD);
    mpfr_log1p(image.upper_, a.upper_, MPFR_RNDU);
    return image;
}

Enclosure sqrt(const Enclosure& a) {
    Enclosure image(Enclosure::precision_of(a));
    mpfr_sqrt(image.lower_, a.lower_, MPFR_RNDD);
    mpfr_sqrt(image.upper_, a.upper_, MPFR_RNDU);
    return image;
}

Enclosure erfc(const Enclosure& a) {
    Enclosure image(Enclosure::precision_of(a));  // falls
    mpfr_erfc(image.lower_, a.upper_, MPFR_RNDD);
    mpfr_erfc(image.upper_, a.lower_, MPFR_RNDU);
    return image;
}

}  // namespace dpcov::detail
