// A lower bound on rho from the means of a bounded score: sharper than one event where the privacy
// loss is spread over many, as that of Gaussian noise is. Proofs: docs/privacy.md#audit.
#pragma once

#include <Eigen/Core>

namespace dpcov::audit {

/// f(s) = slope (s - centre), cut off at -bound and at bound: the log-ratio of two Gaussian laws.
struct Score {
    double slope = 0.0;
    double centre = 0.0;
    double bound = 0.0;  ///< > 0

    [[nodiscard]] double operator()(double statistic) const;
};

/// Fits a score to samples of a statistic on two tables so that divergence_bound() of the very
/// samples is great. The first sample's table is P. A slope of 0 where they do not differ.
[[nodiscard]] Score fit_score(const Eigen::VectorXd& on_p, const Eigen::VectorXd& on_q,
                              double risk);

/// At most KL(P || Q), and so at most rho of a rho-zCDP mechanism, but for a chance of `risk`,
/// 0 < risk < 1. The samples, at least two of each, are fresh: not those that the score was fitted
/// to. May be negative.
[[nodiscard]] double divergence_bound(const Score& score, const Eigen::VectorXd& on_p,
                                      const Eigen::VectorXd& on_q, double risk);

}  // namespace dpcov::audit
