// The covariance from what was released of it, by default. Pure functions of public numbers: a
// release that was saved gives the same estimate again, bit by bit.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "dpcov/statistics.hpp"
#include "estimate/strata.hpp"

namespace dpcov::detail {

/// A matrix and what is known about it.
struct CovarianceEstimate {
    Eigen::MatrixXd covariance;
    double noisy_trace = 0.0;  ///< unbiased for the trace of the covariance of the rows as clipped
    double grid = 0.0;         ///< of the noisy matrix that it was made from; 0 if none
    /// Unbiased (Stein's) estimate of the squared Frobenius distance to the covariance of the rows
    /// as clipped; may be negative.
    std::optional<double> estimated_squared_error = {};
    /// Unbiased estimate of the squared Frobenius norm of the covariance of the rows as clipped,
    /// which is what the zero matrix errs by; where the mechanism has a better one than the norm of
    /// its estimate.
    std::optional<double> estimated_squared_norm = {};
    Statistics statistics = {};  ///< what it was made from, where that has a law of its own
};

/// From isotropic Gaussian noise on all rows together: eigenvalues clamped to [0, radius^2].
[[nodiscard]] CovarianceEstimate clamped_estimate(const NoisyMoment& all_rows);

/// The estimate from strata of rows no longer than `norm_bound`, one after the other, finest first;
/// so that those who draw them need not keep them.
class StrataEstimate {
public:
    StrataEstimate(Eigen::Index columns, double norm_bound, StrataModel model);

    void add(const NoisyMoment& stratum);
    /// Projected to the positive semidefinite matrices of trace at most the squared norm bound.
    /// Zero where no stratum was added.
    [[nodiscard]] CovarianceEstimate result() const;

private:
    double norm_bound_;
    StrataModel model_;
    Belief belief_;
    double noisy_trace_ = 0.0;
    bool any_ = false;
};

/// That from all strata of a release but those left out.
[[nodiscard]] CovarianceEstimate estimate_of_strata(const Statistics& statistics,
                                                    Eigen::Index columns, double norm_bound);

/// The covariance about a mean that was released apart, with noise of deviation `mean_noise_scale`
/// on each of its entries: the second moment less the mean's square, eigenvalues clamped to
/// [0, norm_bound^2].
[[nodiscard]] Eigen::MatrixXd centered_estimate(const Eigen::MatrixXd& second_moment,
                                                const Eigen::VectorXd& mean,
                                                double mean_noise_scale, double norm_bound);

}  // namespace dpcov::detail
