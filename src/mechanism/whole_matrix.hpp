// The noise that hides one whole matrix for a budget: Gaussian under zCDP; under pure DP Laplace's,
// or the Wishart noise where the best variant has it and it is less. For methods that have such a
// matrix in them.
#pragma once

#include <string>

#include "estimate/covariance_estimate.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/noisy_matrix.hpp"

namespace dpcov::detail {

[[nodiscard]] NoiseKind matrix_noise(Rho budget, Neighbours neighbours, std::size_t d,
                                     Variant variant);
[[nodiscard]] NoiseKind matrix_noise(Epsilon budget, Neighbours neighbours, std::size_t d,
                                     Variant variant);

/// The mechanism that is that noise on the covariance, as the account calls it: "WishartCov".
[[nodiscard]] std::string mechanism_of(NoiseKind noise);

/// The covariance of the rows clipped to 2^-clip_exponent B. Spends `rho`.
[[nodiscard]] NoisyMatrix noisy_matrix(const CountedMoment& moment, int clip_exponent, Rho rho,
                                       Variant variant, RandomSource& random);
/// Spends `epsilon`.
[[nodiscard]] NoisyMatrix noisy_matrix(const CountedMoment& moment, int clip_exponent,
                                       Epsilon epsilon, Variant variant, RandomSource& random);

/// The estimate that the mechanism makes of it. Spends `rho`. The bound on the trace, a public
/// number, is for pure DP.
[[nodiscard]] CovarianceEstimate matrix_estimate(const CountedMoment& moment, int clip_exponent,
                                                 Rho rho, Variant variant, double trace_bound,
                                                 RandomSource& random);
/// Spends `epsilon`.
[[nodiscard]] CovarianceEstimate matrix_estimate(const CountedMoment& moment, int clip_exponent,
                                                 Epsilon epsilon, Variant variant,
                                                 double trace_bound, RandomSource& random);

}  // namespace dpcov::detail
