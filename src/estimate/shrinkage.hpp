// Eigenvalues for a noisy matrix's eigenvectors that err less than its own. Post-processing:
// nothing here sees un-noised data.
//
// Y = Sigma + N with N of a law that does not change under rotation, and whose spectrum is known.
// Proofs and derivatives: docs/algorithms.md#shrinkage.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "estimate/noise_spectrum.hpp"

namespace dpcov::detail {

/// A function of the noisy eigenvalues; the eigenvectors stay.
struct Shrinkage {
    Eigen::VectorXd values;  ///< >= 0 and ascending, as the noisy eigenvalues are
    double divergence;       ///< of the matrix function, in coordinates orthonormal for the
                             ///< Frobenius product
};

/// Rotation-invariant shrinkage: l_i - E[N | Y]_i by the Stieltjes transform of the eigenvalue
/// density (Bun, Allez, Bouchaud, Potters 2016), estimated with an Epanechnikov kernel of
/// half-width `bandwidth` > 0 (Ledoit, Wolf 2020); then isotonic regression and the positive part.
/// One for each of `bulks`: that many >= 1 smallest eigenvalues get one value. `noisy` ascending.
/// O(d^2).
[[nodiscard]] std::vector<Shrinkage> rotation_invariant_shrinkage(
    const Eigen::VectorXd& noisy, const NoiseSpectrum& noise, double bandwidth,
    const std::vector<Eigen::Index>& bulks);

/// max(0, l_i).
[[nodiscard]] Shrinkage positive_part(const Eigen::VectorXd& noisy);

/// theta |overlap|^2 where l_i is above the noise's edge, else 0: the best for few eigenvalues
/// beside nothing but noise (Gavish, Donoho 2017; Benaych-Georges, Nadakuditi 2011).
[[nodiscard]] Shrinkage spiked_shrinkage(const Eigen::VectorXd& noisy, const NoiseSpectrum& noise);

/// E[N | Y]_i less what it would be for Gaussian noise of the same size, by the same estimate of
/// the Stieltjes transform: E<N, f(Y)> = s^2 E div f + E sum_i f_i times this, up to what vanishes
/// as d grows. Zero for Gaussian noise.
[[nodiscard]] Eigen::VectorXd excess_pull(const Eigen::VectorXd& noisy, const NoiseSpectrum& noise,
                                          double bandwidth);

}  // namespace dpcov::detail
