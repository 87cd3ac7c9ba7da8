// What another estimate of the same shape, the prior, says of a noisy matrix. Post-processing:
// nothing here sees un-noised data.
//
// The prior comes from rows that are independent of the noise of Y: its eigenvectors V and
// eigenvalues p are fixed, and in its basis the entries of Y are independent. Derivations:
// docs/algorithms.md#shared-basis.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "estimate/candidate.hpp"

namespace dpcov::detail {

/// `ascending`, in which each run of values within `tolerance` of its first is replaced by its
/// mean.
[[nodiscard]] Eigen::VectorXd with_near_ones_equal(Eigen::VectorXd ascending, double tolerance);

/// Candidates for Sigma, all in the basis of the prior's eigenvectors, where Y is `noisy`:
/// - the multiple of the prior that is nearest to Y (divergence 1);
/// - the isotonic fit of Y's diagonal (divergence: the number of positive levels);
/// - for each strength c: that multiple plus the rest of Y with entry (i, j) times
///   c S_ij / (1 + c S_ij), the Wiener filter for a sampling error of the variances c S s^2; and
///   the same filter off the diagonal beside the isotonic fit.
/// `prior`: its eigenvalues, ascending, not all zero; negative ones count as zero. Equal ones leave
/// the basis of their space open, and no candidate depends on it: of the diagonal there the
/// mean is what is fitted, and the differences are filtered as entries beside the diagonal
/// (docs/algorithms.md#equal-eigenvalues). S, `sampling`, as from sampling_ratios. Candidates refer
/// to `noisy` and `sampling`, which must outlive them.
[[nodiscard]] std::vector<Candidate> shared_basis_candidates(const Eigen::MatrixXd& noisy,
                                                             const Eigen::VectorXd& prior,
                                                             const Eigen::MatrixXd& sampling,
                                                             const std::vector<double>& strengths);

/// The variances, over s^2, of the sampling error of the rows in Y: `rows` in all strata together,
/// norms at most `radius`, directions of the angular Gaussian law that has the prior's second
/// moment, noise of scale s. For coordinates orthonormal for the Frobenius product; symmetric.
[[nodiscard]] Eigen::MatrixXd sampling_ratios(const Eigen::MatrixXd& noisy,
                                              const Eigen::VectorXd& prior, double radius,
                                              double rows, double s);

/// The expected squared error of the best of these filters in the model that they are made for,
/// over the strengths 1, 4, ..., 4^steps by their posterior; their prior has `odds` > 0 of each
/// against the one before.
[[nodiscard]] double shared_basis_risk(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior,
                                       double s, const Eigen::MatrixXd& sampling, int steps,
                                       double odds);

}  // namespace dpcov::detail
