// EMCov: eigenvalues with noise, eigenvectors one by one by the exponential mechanism.
//
// Source       Amin, Dick, Kulesza, Munoz Medina, Vassilvitskii 2019, Algorithm 1; as compared with
//              by Dong, Liang, Yi 2022
// Neighbours   replace one row, n public; or add or remove one, n counted with noise. They differ
//              in m = 2 or 1 rows
// Sensitivity  eigenvalues: sqrt(m) B^2 / n in l2, m B^2 / n in l1 (of one column B^2 / n in
//              either). Eigenvector: u^T Sigma u
//              changes by an amount whose range over unit vectors u is m B^2 / n, so that a density
//              proportional to exp((epsilon_i / m) n u^T Sigma u / B^2) is epsilon_i-bounded-range:
//              epsilon_i of pure DP, epsilon_i^2 / 8 of zCDP
// Budget       paper      1/2 eigenvalues, 1/2 eigenvectors in d equal parts
//              published  the same; under pure DP the eigenvectors' parts go with
//                         sqrt(lambda~_i + tau), as in the paper's experiments
//              best       1/16 eigenvalues, 13/16 the k eigenvectors that promise to be worth it
//                         (unspent where k = 0), 1/8 their quadratic forms
// Output       sum lambda~_i u_i u_i^T, u_i in turn from the Bingham law of Sigma on the complement
//              of the earlier ones. `paper`: lambda~ as drawn. `published`: clamped to [0, B^2].
//              `best`: sum c_i u_i u_i^T + c (I - sum u_i u_i^T) with noisy u_i^T Sigma u_i and the
//              noisy mean of Sigma on the rest for c_i and c, shrunk and clamped to [0, B^2].
// Assumes      LAPACK's backward error bound, of the eigenvalues alone; that BLAS only multiplies
//              and adds, which is tried. The eigenvectors have their law exactly
//              (mechanism/bingham)
// Proof        docs/privacy.md#emcov
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>

#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// c for which one vector of density proportional to exp(c u^T G u) costs all of `share`, G the
/// Gram of at most `rows` rows of d columns in units of one full row (B^2), m of which differ
/// between neighbours: epsilon / m or sqrt(8 rho) / m, less what the Gram's rounding may add to the
/// range; at most 2^41 / (d^(3/2) rows), beyond which the sampler would be slow.
template <class Share>
[[nodiscard]] double concentration(Neighbours neighbours, std::size_t d, double rows, Share share);

/// How a budget composes: concentrations c_i cost what their sum (epsilon), or the sum of their
/// squares (rho), costs in one.
enum class Composition { sum = 1, squares = 2 };

/// The shares, adding up to one, of the eigenvectors in the published code's weighted split:
/// proportional to sqrt(lambda~_i + tau), tau = (2 / epsilon) log(2 d / beta). `noisy` are the
/// eigenvalues, >= 0, in units of one full row, and `epsilon` the budget of either half.
[[nodiscard]] Eigen::VectorXd weighted_shares(const Eigen::VectorXd& noisy, double epsilon,
                                              double beta);

/// The concentrations, one for each eigenvector that is worth drawing, with the most of the matrix
/// to be kept: `noisy` are d eigenvalues, descending, in units of one full row. A vector drawn with
/// concentration c from q dimensions is taken to have the quadratic form
/// max(0, l_i - (q - 1) / (2 c)), and to cost `variance` in its coefficient. All together cost what
/// the one concentration `total` costs.
[[nodiscard]] Eigen::VectorXd planned_concentrations(const Eigen::VectorXd& noisy, double total,
                                                     Composition composition, double variance);

/// The catalogue's `em`.
[[nodiscard]] Release em_cov(const SecretMoment& secret, const Budget& budget,
                             const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
