#include "random/geometric_run.hpp"

#include "arithmetic/real.hpp"
#include "random/big_integer.hpp"
#include "random/laplace_decay.hpp"
#include "random/lazy_number.hpp"

namespace dpcov {

namespace {

using detail::LazyNumber;
using detail::Real;

/// result = -log U, rounded as asked, for the end of U's interval that gives the safe side.
void minus_log(Real& result, const LazyNumber& uniform, mpfr_rnd_t rounding) {
    if (rounding == MPFR_RNDD) {
        uniform.upper_end(result);
    } else {
        uniform.lower_end(result);
    }
    mpfr_log(result, result, detail::opposite(rounding));
    mpfr_neg(result, result, rounding);
}

}  // namespace

std::optional<std::uint64_t> geometric_run(RandomSource& random, std::uint64_t trials,
                                           LaplaceScale scale, Int128 threshold) {
    // With U uniform, floor(log U / log q) >= k exactly when U <= q^k: the law of the number of
    // failures when each trial fails with probability q = P(X < threshold).
    const mpz_class big_threshold = detail::to_big(threshold);
    LazyNumber uniform;
    if (trials == 0) {
        return std::nullopt;
    }
    for (;;) {
        uniform.extend(random);
        const mpfr_prec_t precision = mpfr_prec_t{uniform.fraction_bits} + 64;
        Real least(precision);
        Real most(precision);
        Real divisor(precision);

        minus_log(least, uniform, MPFR_RNDD);
        detail::laplace_decay(divisor, scale, big_threshold, MPFR_RNDU);
        mpfr_div(least, least, divisor, MPFR_RNDD);
        mpfr_floor(least, least);
        if (mpfr_cmp_ui(least, trials) >= 0) {
            return std::nullopt;
        }

        minus_log(most, uniform, MPFR_RNDU);
        detail::laplace_decay(divisor, scale, big_threshold, MPFR_RNDD);
        mpfr_div(most, most, divisor, MPFR_RNDU);
        mpfr_floor(most, most);
        if (mpfr_equal_p(least, most) != 0) {
            return mpfr_get_ui(least, MPFR_RNDD);
        }
    }
}

}  // namespace dpcov
