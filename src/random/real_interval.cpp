#include "random/real_interval.hpp"

namespace dpcov::detail {
namespace {

// low and high = the least and the greatest of the products of ends.
void product_ends(Real& low, Real& high, mpfr_srcptr a_low, mpfr_srcptr a_high, mpfr_srcptr b_low,
                  mpfr_srcptr b_high) {
    Real end(mpfr_get_prec(low));
    mpfr_mul(low, a_low, b_low, MPFR_RNDD);
    mpfr_mul(high, a_low, b_low, MPFR_RNDU);
    const auto also = [&](mpfr_srcptr a, mpfr_srcptr b) {
        mpfr_mul(end, a, b, MPFR_RNDD);
        mpfr_min(low, low, end, MPFR_RNDD);
        mpfr_mul(end, a, b, MPFR_RNDU);
        mpfr_max(high, high, end, MPFR_RNDU);
    };
    also(a_low, b_high);
    also(a_high, b_low);
    also(a_high, b_high);
}

}  // namespace

RealInterval::RealInterval(mpfr_prec_t bits, double value) : low_(bits), high_(bits) {
    mpfr_set_d(low_, value, MPFR_RNDD);
    mpfr_set_d(high_, value, MPFR_RNDU);
}

void RealInterval::set(const mpz_class& digits, int fraction_bits) {
    const mpz_class end = digits + 1;
    mpfr_set_z_2exp(low_, digits.get_mpz_t(), -fraction_bits, MPFR_RNDD);
    mpfr_set_z_2exp(high_, end.get_mpz_t(), -fraction_bits, MPFR_RNDU);
}

void RealInterval::set(const RealInterval& other) {
    mpfr_set(low_, other.low_, MPFR_RNDD);
    mpfr_set(high_, other.high_, MPFR_RNDU);
}

void RealInterval::add_product(double factor, const RealInterval& other) {
    Real term(mpfr_get_prec(low_));
    const bool negative = factor < 0.0;
    mpfr_mul_d(term, negative ? other.high_ : other.low_, factor, MPFR_RNDD);
    mpfr_add(low_, low_, term, MPFR_RNDD);
    mpfr_mul_d(term, negative ? other.low_ : other.high_, factor, MPFR_RNDU);
    mpfr_add(high_, high_, term, MPFR_RNDU);
}

void RealInterval::add_product(const RealInterval& a, const RealInterval& b) {
    Real low(mpfr_get_prec(low_));
    Real high(mpfr_get_prec(low_));
    product_ends(low, high, a.low_, a.high_, b.low_, b.high_);
    mpfr_add(low_, low_, low, MPFR_RNDD);
    mpfr_add(high_, high_, high, MPFR_RNDU);
}

void RealInterval::add_square(const RealInterval& a) {
    Real low(mpfr_get_prec(low_));
    Real high(mpfr_get_prec(low_));
    product_ends(low, high, a.low_, a.high_, a.low_, a.high_);
    if (mpfr_sgn(mpfr_srcptr(low)) > 0) {
        mpfr_add(low_, low_, low, MPFR_RNDD);
    }
    mpfr_add(high_, high_, high, MPFR_RNDU);
}

void RealInterval::divide(const RealInterval& other) {
    Real first(mpfr_get_prec(low_));
    Real last(mpfr_get_prec(low_));
    mpfr_ui_div(first, 1, other.high_, MPFR_RNDD);
    mpfr_ui_div(last, 1, other.low_, MPFR_RNDU);
    Real low(mpfr_get_prec(low_));
    Real high(mpfr_get_prec(low_));
    product_ends(low, high, low_, high_, first, last);
    mpfr_swap(low_, low);
    mpfr_swap(high_, high);
}

void RealInterval::take_root() {
    if (mpfr_sgn(mpfr_srcptr(low_)) < 0) {
        mpfr_set_zero(low_, 1);
    }
    mpfr_sqrt(low_, low_, MPFR_RNDD);
    mpfr_sqrt(high_, high_, MPFR_RNDU);
}

void RealInterval::take_log() {
    if (mpfr_sgn(mpfr_srcptr(low_)) < 0) {
        mpfr_set_zero(low_, 1);
    }
    mpfr_log(low_, low_, MPFR_RNDD);
    mpfr_log(high_, high_, MPFR_RNDU);
}

}  // namespace dpcov::detail
