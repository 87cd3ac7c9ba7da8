// The sum of second moments that were released apart, each with noise of its own. Where few rows
// are long, their stratum adds most of the noise and little else: what it holds is then better told
// from the shape of the other strata. Post-processing. Derivation: docs/deriving.md#weighed-sum.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace dpcov::detail {

/// A symmetric matrix with noise of variance s^2 > 0 on the diagonal and s^2 / 2 off it.
struct NoisySummand {
    Eigen::MatrixXd matrix;
    double noise_variance = 0.0;  ///< s^2
    /// Of a common factor on all of the matrix, beside that noise; over the factor's square.
    double factor_variance = 0.0;
    /// Of s^2, what is not noise in the matrix, but what it may lack of the sum.
    double lacking_variance = 0.0;
};

/// An estimate of the sum of what the noise is on, from at least one matrix. Where they have one
/// shape it is the unbiased one with the least noise among those found by adding one summand at a
/// time, the least noisy first; where their shapes are seen to differ it tends to the plain sum.
/// Its `noise_variance` holds the noise and what the shapes were seen to differ by; its
/// `factor_variance` is for how much longer the sum is believed to be than what it was made from.
[[nodiscard]] NoisySummand weighed_sum(std::vector<NoisySummand> summands);

}  // namespace dpcov::detail
