// Bounds of how fast the chance of no success decays over repeated threshold tests.
#pragma once

#include <gmpxx.h>

#include "arithmetic/real.hpp"
#include "random/discrete_laplace.hpp"

namespace dpcov::detail {

/// result = -log P(X < threshold), X discrete Laplace: a lower bound for MPFR_RNDD and an upper one
/// for MPFR_RNDU, as close as the precision of `result` allows.
void laplace_decay(Real& result, LaplaceScale scale, const mpz_class& threshold,
                   mpfr_rnd_t rounding);

}  // namespace dpcov::detail
