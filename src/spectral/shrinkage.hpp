// Eigenvalues for a noisy matrix's eigenvectors that err less than its own. Post-processing:
// nothing here sees un-noised data.
//
// Y = Sigma + N with N isotropic Gaussian noise of scale s (variance s^2 on the diagonal, s^2 / 2
// off it), whose eigenvalues follow the semicircle law of variance sigma^2 = d s^2 / 2. Proofs and
// derivatives: docs/algorithms.md#shrinkage.
#pragma once

#include <Eigen/Core>

namespace dpcov::detail {

/// A function of the noisy eigenvalues; the eigenvectors stay.
struct Shrinkage {
    Eigen::VectorXd values;  ///< >= 0 and ascending, as the noisy eigenvalues are
    double divergence;       ///< of the matrix function, as in Candidate
};

/// Rotation-invariant shrinkage: l_i - 2 sigma^2 H(l_i), where H is the Hilbert transform of the
/// eigenvalue density (Bun, Allez, Bouchaud, Potters 2016), estimated with an Epanechnikov kernel
/// of half-width `bandwidth` > 0 (Ledoit, Wolf 2020); then isotonic regression and the positive
/// part. The `bulk` >= 1 smallest eigenvalues get one value. `noisy` ascending. O(d^2).
[[nodiscard]] Shrinkage rotation_invariant_shrinkage(const Eigen::VectorXd& noisy, double s,
                                                     double bandwidth, Eigen::Index bulk = 1);

/// max(0, l_i).
[[nodiscard]] Shrinkage positive_part(const Eigen::VectorXd& noisy);

/// sqrt(l_i^2 - 4 sigma^2) where l_i > 2 sigma, else 0: the best for few eigenvalues that stand out
/// of nothing but noise (Gavish, Donoho 2017).
[[nodiscard]] Shrinkage spiked_shrinkage(const Eigen::VectorXd& noisy, double s);

}  // namespace dpcov::detail
