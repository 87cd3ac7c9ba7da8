// Tail bounds of Gaussian and Laplace vectors and matrices, and the error bounds of the mechanisms
// that follow from them (Dong, Liang, Yi 2022, "the paper"). Everything here is a function of
// public numbers and spends nothing. Proofs and measured slack: docs/bounds.md.
//
// SGW(d) is the symmetric d x d matrix whose entries on and above the diagonal are independent
// N(0, 1); SLW(d) the same with Laplace entries of scale 1 (density exp(-|x|) / 2, variance 2).
// Every function throws UsageError unless d >= 1, n >= 1, 0 < beta < 1, and radii are from 2^-300
// to 2^300, which includes all norm bounds that a moment can have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dpcov/budget.hpp"
#include "dpcov/export.hpp"

namespace dpcov {

/// The Euclidean norm of a vector N(0, I_d) is at most this with probability at least 1 - beta:
/// sqrt(d + 2 sqrt(d log(1/beta)) + 2 log(1/beta)) (Laurent and Massart 2000, Lemma 1).
[[nodiscard]] DPCOV_EXPORT double eta(std::size_t d, double beta);

/// The paper's bound on the spectral norm of SGW(d), with probability at least 1 - beta:
/// 2 sqrt(d) + 2 d^(1/6) log(d)^(1/3) + 6 (1 + t) sqrt(log d) / sqrt(log(1 + t))
///   + 2 sqrt(2 log(1/beta)), t = (log d / d)^(1/3) and log d := 1 for d <= e.
///
/// True for every d and beta: it is never below upsilon_sharp, which is proved. It is generous: at
/// beta = 0.1 it is 5.1 times upsilon_sharp at d = 1, 2.4 times at d = 200, 1.1 times at d = 10^6.
[[nodiscard]] DPCOV_EXPORT double upsilon(std::size_t d, double beta);

/// The spectral norm of SGW(d) is at most this with probability at least 1 - beta:
/// 2 sqrt(d) + sqrt(2 (2 - 1/d) log(2/beta)) (Gaussian comparison and concentration).
[[nodiscard]] DPCOV_EXPORT double upsilon_sharp(std::size_t d, double beta);

/// The paper's bound on the Frobenius norm of SGW(d), with probability at least 1 - beta:
/// sqrt(d^2 + 2 sqrt(d log(2/beta)) (1 + sqrt(2 (d - 1))) + 6 log(2/beta)) (Laurent and Massart on
/// the diagonal and on the rest, beta/2 each).
[[nodiscard]] DPCOV_EXPORT double omega(std::size_t d, double beta);

/// The Frobenius norm of SGW(d) is at most this with probability at least 1 - beta:
/// sqrt(d^2 + 2 sqrt(d (2d - 1) log(1/beta)) + 4 log(1/beta)) (Laurent and Massart once, on the
/// weighted sum). Never above omega.
[[nodiscard]] DPCOV_EXPORT double omega_sharp(std::size_t d, double beta);

/// The paper's bound on the l2 norm of d independent Laplace variables of scale 1, with probability
/// at least 1 - beta: (3/2) sqrt(d) + log(2/beta) K(d). The paper has O(log(1/beta) log d) for the
/// last term; K(m) = 2 max((sqrt(2) + 1) / (sqrt(2) - 1), 2 log_2 m) is its published code's.
/// Proved, and generous: at beta = 0.1 it is 16 times the 90 % quantile at d = 1 and 5.2 times at
/// d = 200.
[[nodiscard]] DPCOV_EXPORT double eta_laplace(std::size_t d, double beta);

/// The paper's bound on the spectral norm of SLW(d), with probability at least 1 - beta:
/// 3 sqrt(d) + 9 log d / sqrt(log 1.5) + sqrt(2) log(2/beta) K(d (d + 1) / 2),
/// with log d := 1 for d <= e and K as in eta_laplace. The paper has O(log(1/beta) log d) for the
/// last term.
///
/// Proved for d <= 417, where it is not below upsilon_laplace_sharp. For larger d the constant is
/// not proved here. It is above 2 sqrt(2 d), and for large d the norm is near 2 sqrt(2 d).
[[nodiscard]] DPCOV_EXPORT double upsilon_laplace(std::size_t d, double beta);

/// The spectral norm of SLW(d) is at most this with probability at least 1 - beta, for every d:
/// 2 sqrt(2 d H) + 16 log(2/beta), where H is at least the harmonic number of d (d + 1) / 2. It is
/// above upsilon_laplace where d is large.
[[nodiscard]] DPCOV_EXPORT double upsilon_laplace_sharp(std::size_t d, double beta);

/// The paper's bound on the Frobenius norm of SLW(d), with probability at least 1 - beta:
/// (3/2) d + log(2/beta) K(d (d + 1) / 2), K as in eta_laplace. Proved. The paper has
/// O(log(1/beta) log d) for the last term.
[[nodiscard]] DPCOV_EXPORT double omega_laplace(std::size_t d, double beta);

/// Bound on the Frobenius error of GaussCov. Its release, Sigma + r^2 / (sqrt(rho) n) SGW(d), is
/// rho-zCDP for n rows of norm at most r. With probability at least 1 - beta it errs by at most
/// r^2 omega(d, beta) / (sqrt(rho) n).
[[nodiscard]] DPCOV_EXPORT double gauss_error_bound(std::size_t d, std::uint64_t n, Rho rho,
                                                    double r, double beta);

/// Bound on the Frobenius error of SeparateCov, which spends rho/2 on the eigenvalues and rho/2 on
/// the eigenvectors. With probability at least 1 - beta the error is at most
/// 2^(5/4) r sqrt(trace upsilon(d, beta/2)) / (sqrt(n) rho^(1/4))
///   + sqrt(2) r^2 eta(d, beta/2) / (sqrt(rho) n).
/// `trace` >= 0 is the trace of Sigma, or an upper bound on it. r^2 always is an upper bound.
[[nodiscard]] DPCOV_EXPORT double separate_error_bound(std::size_t d, std::uint64_t n, Rho rho,
                                                       double r, double trace, double beta);

/// The paper's rule for when SeparateCov is preferred, with its constants. separate_error_bound is
/// below gauss_error_bound exactly where the trace of Sigma is below this:
/// r^2 (omega(d, beta) - sqrt(2) eta(d, beta/2))^2 / (4 sqrt(2) sqrt(rho) n upsilon(d, beta/2)).
/// Where the difference in brackets is negative this is 0: SeparateCov is never preferred. Of order
/// r^2 d^(3/2) / (sqrt(rho) n). Where it is above r^2, SeparateCov is preferred for every trace.
[[nodiscard]] DPCOV_EXPORT double crossover_trace(std::size_t d, std::uint64_t n, Rho rho, double r,
                                                  double beta);

/// Bound on the Frobenius error of the projection mechanism (the paper's appendix C). It projects
/// GaussCov's matrix, in Frobenius norm, onto the positive semidefinite matrices of trace at most
/// r^2. With probability at least 1 - beta it errs by at most the lesser of gauss_error_bound(...,
/// beta/2) and r^2 sqrt(2 upsilon_sharp(d, beta/2) / (sqrt(rho) n)). The second is of order
/// d^(1/4) / sqrt(n).
[[nodiscard]] DPCOV_EXPORT double projection_error_bound(std::size_t d, std::uint64_t n, Rho rho,
                                                         double r, double beta);

/// The noise term of AdaptiveCov (the paper's Algorithm 3) for rows clipped to norm tau: the lesser
/// of gauss_error_bound and separate_error_bound with r = tau.
[[nodiscard]] DPCOV_EXPORT double adaptive_noise(std::size_t d, std::uint64_t n, Rho rho,
                                                 double tau, double trace, double beta);

/// Bound on the Frobenius error of LapCov. Its release, Sigma + sqrt(2) d r^2 / (epsilon n) SLW(d),
/// is epsilon-DP for n rows of norm at most r. With probability at least 1 - beta it errs by at
/// most sqrt(2) d r^2 omega_laplace(d, beta) / (epsilon n).
[[nodiscard]] DPCOV_EXPORT double lap_error_bound(std::size_t d, std::uint64_t n, Epsilon epsilon,
                                                  double r, double beta);

/// Bound on the Frobenius error of SeparateCov under pure DP, which spends epsilon/2 on the
/// eigenvalues and epsilon/2 on the eigenvectors. With probability at least 1 - beta the error is
/// at most
/// r sqrt(8 sqrt(2) d trace upsilon_laplace(d, beta/2) / (epsilon n))
///   + 4 r^2 eta_laplace(d, beta/2) / (epsilon n), for those d for which upsilon_laplace holds.
/// `trace` >= 0 is the trace of Sigma, or an upper bound on it. r^2 always is an upper bound.
[[nodiscard]] DPCOV_EXPORT double separate_lap_error_bound(std::size_t d, std::uint64_t n,
                                                           Epsilon epsilon, double r, double trace,
                                                           double beta);

/// crossover_trace under pure DP: separate_lap_error_bound is below lap_error_bound exactly where
/// the trace of Sigma is below this. Of order r^2 d^(5/2) / (epsilon n).
[[nodiscard]] DPCOV_EXPORT double crossover_trace(std::size_t d, std::uint64_t n, Epsilon epsilon,
                                                  double r, double beta);

/// The noise term of AdaptiveCov under pure DP for rows clipped to norm tau: the lesser of
/// lap_error_bound and separate_lap_error_bound with r = tau.
[[nodiscard]] DPCOV_EXPORT double adaptive_lap_noise(std::size_t d, std::uint64_t n,
                                                     Epsilon epsilon, double tau, double trace,
                                                     double beta);

/// Bound on the Frobenius error of the whole AdaptiveCov in the variant `paper` (the paper's
/// Algorithm 3), with the constants of this program. It holds with probability at least 1 - beta.
/// `norms` are the Euclidean norms of the n rows, in any order; a norm above r counts as r. The
/// error is against the covariance of the rows clipped to r. Neighbours: one row replaced, n
/// public. The paper's theorem has this bound with its constants left out; docs/bounds.md#adaptive
/// has the proof.
///
/// For analysis only: the result depends on the table, and is as secret as the norms. UsageError
/// where there are no norms, or one is negative or not a number.
[[nodiscard]] DPCOV_EXPORT double adaptive_error_bound(std::span<const double> norms, std::size_t d,
                                                       Rho rho, double r, double beta);

/// adaptive_error_bound under pure DP.
[[nodiscard]] DPCOV_EXPORT double adaptive_error_bound(std::span<const double> norms, std::size_t d,
                                                       Epsilon epsilon, double r, double beta);

}  // namespace dpcov
