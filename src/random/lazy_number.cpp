#include "random/lazy_number.hpp"

#include "random/big_integer.hpp"

namespace dpcov::detail {

void LazyNumber::extend(RandomSource& random) {
    digits = (digits << 64) + to_big(random.next_word());
    fraction_bits += 64;
}

void LazyNumber::lower_end(mpfr_ptr result) const {
    mpfr_set_z_2exp(result, digits.get_mpz_t(), -fraction_bits, MPFR_RNDD);
}

void LazyNumber::upper_end(mpfr_ptr result) const {
    const mpz_class end = digits + 1;
    mpfr_set_z_2exp(result, end.get_mpz_t(), -fraction_bits, MPFR_RNDU);
}

}  // namespace dpcov::detail
