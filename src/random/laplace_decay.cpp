#include "random/laplace_decay.hpp"

#include "random/big_integer.hpp"

namespace dpcov::detail {

namespace {

/// result = distance / scale, rounded as asked.
void steps_of(Real& result, LaplaceScale scale, const mpz_class& distance, mpfr_rnd_t rounding) {
    const mpz_class numerator = distance * to_big(scale.denominator);
    const mpz_class denominator = to_big(static_cast<Int128>(scale.numerator));
    mpfr_set_z(result, numerator.get_mpz_t(), rounding);
    mpfr_div_z(result, result, denominator.get_mpz_t(), rounding);
}

/// result = log(1 + exp(-1 / scale)), rounded as asked.
void log_normaliser(Real& result, LaplaceScale scale, mpfr_rnd_t rounding) {
    steps_of(result, scale, 1, opposite(rounding));
    mpfr_neg(result, result, rounding);
    mpfr_exp(result, result, rounding);
    mpfr_log1p(result, result, rounding);
}

/// result = -log P(X >= distance) = distance / scale + log(1 + exp(-1 / scale)), rounded as asked;
/// distance >= 1.
void minus_log_tail(Real& result, LaplaceScale scale, const mpz_class& distance,
                    mpfr_rnd_t rounding) {
    Real normaliser(mpfr_get_prec(result));
    log_normaliser(normaliser, scale, rounding);
    steps_of(result, scale, distance, rounding);
    mpfr_add(result, result, normaliser, rounding);
}

}  // namespace

void laplace_decay(Real& result, LaplaceScale scale, const mpz_class& threshold,
                   mpfr_rnd_t rounding) {
    if (threshold <= 0) {
        // P(X < threshold) = P(X >= 1 - threshold): the law is symmetric.
        minus_log_tail(result, scale, 1 - threshold, rounding);
        return;
    }
    // -log(1 - p) grows with p, and p = exp(-t) falls with t.
    minus_log_tail(result, scale, threshold, opposite(rounding));
    mpfr_neg(result, result, rounding);
    mpfr_exp(result, result, rounding);
    mpfr_neg(result, result, opposite(rounding));
    mpfr_log1p(result, result, opposite(rounding));
    mpfr_neg(result, result, rounding);
}

}  // namespace dpcov::detail
