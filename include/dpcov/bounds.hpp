// Tail bounds of Gaussian and Laplace vectors and matrices, and the error bounds of the mechanisms
// that follow from them (Dong, Liang, Yi 2022, "the paper"). Everything here is a function of
// public numbers. Proofs and measured slack: docs/bounds.md.
//
// SGW(d) is the symmetric d x d matrix whose entries on and above the diagonal are independent
// N(0, 1); SLW(d) the same with Laplace entries of scale 1 (density exp(-|x|) / 2, variance 2).
// Every function throws UsageError unless d >= 1, n >= 1, 0 < beta < 1, and radii are
// finite and > 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dpcov/budget.hpp"

namespace dpcov {

/// |N(0, I_d)|_2 is at most this with probability at least 1 - beta:
/// sqrt(d + 2 sqrt(d log(1/beta)) + 2 log(1/beta)) (Laurent and Massart 2000, Lemma 1).
[[nodiscard]] double eta(std::size_t d, double beta);

/// The paper's bound on the spectral norm of SGW(d), with probability at least 1 - beta:
/// (1 + t) (2 sqrt(d) + 6 sqrt(log d) / sqrt(log(1 + t))) + sqrt(2 log(2/beta)) with
/// t = min((log d / d)^(1/3), 1/2) and log d := 1 for d <= e (so that d = 1, 2 work).
///
/// The paper takes it from Bandeira and van Handel 2016; the concentration behind that gives
/// 2 sqrt(log(2/beta)) as last term. The claim is true nevertheless for every beta >= 1e-250, since
/// it is then never below upsilon_sharp, which is proved. It is generous: at beta = 0.1 it is 4.4
/// times upsilon_sharp at d = 1, 2.3 times at d = 200, 1.1 times at d = 10^6.
[[nodiscard]] double upsilon(std::size_t d, double beta);

/// The spectral norm of SGW(d) is at most this with probability at least 1 - beta:
/// 2 sqrt(d) + sqrt(2 (2 - 1/d) log(2/beta)) (Gaussian comparison and concentration).
[[nodiscard]] double upsilon_sharp(std::size_t d, double beta);

/// The paper's bound on the Frobenius norm of SGW(d), with probability at least 1 - beta:
/// sqrt(d^2 + 2 sqrt(d log(2/beta)) (1 + sqrt(2 (d - 1))) + 6 log(2/beta)) (Laurent and Massart on
/// the diagonal and on the rest, beta/2 each).
[[nodiscard]] double omega(std::size_t d, double beta);

/// The Frobenius norm of SGW(d) is at most this with probability at least 1 - beta:
/// sqrt(d^2 + 2 sqrt(d (2d - 1) log(1/beta)) + 4 log(1/beta)) (Laurent and Massart once, on the
/// weighted sum). Never above omega.
[[nodiscard]] double omega_sharp(std::size_t d, double beta);

/// The paper's bound on the l2 norm of d independent Laplace variables of scale 1, with probability
/// at least 1 - beta: (3/2) sqrt(d) + log(2/beta) K(d), where
/// K(m) = 2 max((sqrt(2) + 1) / (sqrt(2) - 1), 2 log_2 m). Proved, and generous: at beta = 0.1 it
/// is 16 times the 90 % quantile at d = 1 and 5.2 times at d = 200.
[[nodiscard]] double eta_laplace(std::size_t d, double beta);

/// The paper's bound on the spectral norm of SLW(d), with probability at least 1 - beta:
/// (1 + t) (2 sqrt(d) + 6 log d / sqrt(log(1 + t))) + sqrt(2) log(2/beta) K(d (d + 1) / 2) with t
/// and log d as in upsilon and K as in eta_laplace.
///
/// Proved for d <= 422. It grows like 2 sqrt(d) where the norm grows like 2 sqrt(2 d): above d near
/// 4,000,000 it does not hold at beta = 0.1.
[[nodiscard]] double upsilon_laplace(std::size_t d, double beta);

/// The paper's bound on the Frobenius norm of SLW(d), with probability at least 1 - beta:
/// (3/2) d + log(2/beta) K(d (d + 1) / 2), K as in eta_laplace. Proved.
[[nodiscard]] double omega_laplace(std::size_t d, double beta);

/// Frobenius error of GaussCov: Sigma + r^2 / (sqrt(rho) n) SGW(d) is
/// rho-zCDP for n rows of norm at most r, and with probability at least 1 - beta errs by at most
/// r^2 omega(d, beta) / (sqrt(rho) n).
[[nodiscard]] double gauss_error_bound(std::size_t d, std::uint64_t n, Rho rho, double r,
                                       double beta);

/// Frobenius error of SeparateCov, rho/2 on the eigenvalues and rho/2 on
/// the eigenvectors, with probability at least 1 - beta at most
/// 2^(5/4) r sqrt(trace upsilon(d, beta/2)) / (sqrt(n) rho^(1/4))
///   + sqrt(2) r^2 eta(d, beta/2) / (sqrt(rho) n).
/// `trace` >= 0 is the trace of Sigma, or anything above it; r^2 always is.
[[nodiscard]] double separate_error_bound(std::size_t d, std::uint64_t n, Rho rho, double r,
                                          double trace, double beta);

/// The noise term of AdaptiveCov (the paper's Algorithm 5) for rows clipped to norm tau: the lesser
/// of the bounds of GaussCov and SeparateCov with r = tau.
[[nodiscard]] double adaptive_noise(std::size_t d, std::uint64_t n, Rho rho, double tau,
                                    double trace, double beta);

/// Frobenius error of LapCov: Sigma + sqrt(2) d r^2 / (epsilon n) SLW(d) is epsilon-DP for n rows
/// of norm at most r, and with probability at least 1 - beta errs by at most sqrt(2) d r^2
/// omega_laplace(d, beta) / (epsilon n).
[[nodiscard]] double lap_error_bound(std::size_t d, std::uint64_t n, Epsilon epsilon, double r,
                                     double beta);

/// Frobenius error of SeparateCov under pure DP, epsilon/2 on the eigenvalues and epsilon/2 on the
/// eigenvectors, with probability at least 1 - beta at most
/// r sqrt(8 sqrt(2) d trace upsilon_laplace(d, beta/2) / (epsilon n))
///   + 4 r^2 eta_laplace(d, beta/2) / (epsilon n), as far as upsilon_laplace holds.
/// `trace` >= 0 is the trace of Sigma, or anything above it; r^2 always is.
[[nodiscard]] double separate_lap_error_bound(std::size_t d, std::uint64_t n, Epsilon epsilon,
                                              double r, double trace, double beta);

/// The noise term of AdaptiveCov under pure DP for rows clipped to norm tau: the lesser of the
/// bounds of LapCov and SeparateCov with r = tau.
[[nodiscard]] double adaptive_lap_noise(std::size_t d, std::uint64_t n, Epsilon epsilon, double tau,
                                        double trace, double beta);

}  // namespace dpcov
