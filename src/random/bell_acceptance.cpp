#include "random/bell_acceptance.hpp"

namespace dpcov::detail {

void acceptance_bound(Real& result, const LazyNumber& x, const HalfNormalTable& table,
                      std::size_t cell, unsigned halvings, mpfr_rnd_t rounding) {
    if (rounding == MPFR_RNDD) {
        x.upper_end(result);
    } else {
        x.lower_end(result);
    }
    mpfr_sqr(result, result, opposite(rounding));
    mpfr_div_2ui(result, result, 1, opposite(rounding));
    mpfr_neg(result, result, rounding);
    mpfr_exp(result, result, rounding);
    mpfr_mul_ui(result, result, table.amplitude(), rounding);
    mpfr_div_ui(result, result, table.height(cell), rounding);
    mpfr_mul_2ui(result, result, halvings, rounding);
}

bool accepted(RandomSource& random, LazyNumber v, LazyNumber& x, const HalfNormalTable& table,
              std::size_t cell, unsigned halvings) {
    for (;; x.extend(random)) {
        v.extend(random);
        const mpfr_prec_t precision = mpfr_prec_t{x.fraction_bits} + 64;
        Real bound(precision);
        Real end(precision);
        acceptance_bound(bound, x, table, cell, halvings, MPFR_RNDD);
        v.upper_end(end);
        if (mpfr_lessequal_p(end, bound) != 0) {
            return true;
        }
        acceptance_bound(bound, x, table, cell, halvings, MPFR_RNDU);
        v.lower_end(end);
        if (mpfr_greaterequal_p(end, bound) != 0) {
            return false;
        }
    }
}

}  // namespace dpcov::detail
