// One stratum of whole rows by itself, as releases draw it among others.
#pragma once

#include "mechanism/counted_moment.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "random/random_source.hpp"

namespace dpcov::test {

/// Sigma_k + N_k for the rows of neighbouring bins; noise by the coarsest. The noise scale is s:
/// entries have variance s^2 on the diagonal, s^2 / 2 off it. Strata that have no bin in common
/// cost the budget all together. Share is Rho or Epsilon.
template <class Share>
[[nodiscard]] detail::NoisyMatrix noisy_stratum(const detail::CountedMoment& moment,
                                                detail::BinRange stratum, Share budget,
                                                RandomSource& random) {
    const double norm_bound = moment.secret.layout().norm_bound;
    return detail::noisy_sums(moment.secret, moment.neighbours, detail::whole_rows({stratum}), {},
                              budget, random)
        .matrix_over(moment.rows.value * (norm_bound * norm_bound));
}

}  // namespace dpcov::test
