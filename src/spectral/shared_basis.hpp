// What another estimate of the same shape teaches about a noisy matrix. Post-processing: nothing
// here sees un-noised data.
//
// The prior comes from rows that are independent of the noise of Y: its eigenvectors V and
// eigenvalues p are fixed, and in its basis the entries of Y are independent. Derivations:
// docs/algorithms.md#shared-basis.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "spectral/candidate.hpp"

namespace dpcov::detail {

/// Candidates for Sigma, all in the basis of the prior's eigenvectors, where Y is `noisy`:
/// - the multiple of the prior that is nearest to Y (divergence 1);
/// - the isotonic fit of Y's diagonal (divergence: the number of positive levels);
/// - for each strength c: that multiple plus the rest of Y with entry (i, j) times
///   c p_i p_j / (1 + c p_i p_j), the Wiener filter for rows whose sampling error has the
///   covariance of Gaussian rows; and the same filter off the diagonal beside the isotonic fit.
/// `prior`: its eigenvalues, ascending, not all zero; negative ones count as zero. Strengths are
/// for eigenvalues that sum to one.
[[nodiscard]] std::vector<Candidate> shared_basis_candidates(const Eigen::MatrixXd& noisy,
                                                             const Eigen::VectorXd& prior,
                                                             const std::vector<double>& strengths);

/// The strength that the sampling of rows gives in that model: `rows` in all strata together, norms
/// at most `radius`, directions distributed alike in all strata, noise of scale s. Entry (i, j)
/// then has a variance proportional to p_i p_j, and what they sum to follows from the rows' norms.
[[nodiscard]] double sampling_strength(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior,
                                       double radius, double rows, double s);

/// The expected squared error of the best of these filters in the model that they are made for. The
/// strength is `least` times the likeliest power of four from 1 to 4^steps.
[[nodiscard]] double shared_basis_risk(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior,
                                       double s, double least, int steps);

}  // namespace dpcov::detail
