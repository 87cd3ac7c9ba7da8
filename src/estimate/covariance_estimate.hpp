// The covariance from what was released of it, by default. Pure functions of public numbers: a
// release that was saved gives the same estimate again, bit by bit.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "dpcov/statistics.hpp"
#include "estimate/mean_of_strata.hpp"
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
    /// What that may be where noise hides rows: strata in which nothing shows hold no more than
    /// about their noise. Set where it is not in the estimate.
    std::optional<double> squared_error_of_hidden_rows = {};
    /// Unbiased estimate of the squared Frobenius norm of the covariance of the rows as clipped:
    /// what the zero matrix errs by. About a mean it is 0 where noise hides it. Set only where the
    /// mechanism knows better than by the norm of its estimate, or does not estimate its error.
    std::optional<double> estimated_squared_norm = {};
    /// How the product of the estimate f(Y) and the truth moves with the noise's trace:
    /// d/dt <f(Y + t I), f(Y)>; 0 where nobody knows.
    double slope = 0.0;
    std::optional<Eigen::VectorXd> mean = {};  ///< where the covariance is about it
    Eigen::ArrayXd mean_deviations = {};       ///< of its noise, without that of the number of rows
    Statistics statistics = {};  ///< what it was made from, where that has a law of its own
};

/// From isotropic Gaussian noise on all rows together: eigenvalues clamped to [0, radius^2]; about
/// the mean where there is one.
[[nodiscard]] CovarianceEstimate clamped_estimate(const NoisyMoment& all_rows);

/// Of a covariance about a mean.
enum class Length {
    shrunk,  ///< multiplied by what is expected to err least, which is zero where noise is most of
             ///< it
    noisy,   ///< as it is before that: for its directions
};

/// The estimate from strata of rows no longer than `norm_bound`, one after the other, finest first;
/// so that those who draw them need not keep them.
class StrataEstimate {
public:
    /// Of `statistics` nothing but the number of rows, its noise, and the noise's law.
    StrataEstimate(Eigen::Index columns, double norm_bound, const Statistics& statistics);

    void add(NoisyMoment stratum);
    /// Projected to the positive semidefinite matrices of trace at most the squared norm bound.
    /// Zero where nothing was detected, in no stratum and not in all together. Shortened by what a
    /// noisy number of rows adds (docs/algorithms.md#add-remove). To be called once.
    [[nodiscard]] CovarianceEstimate result() &&;
    /// The same about a mean, which is shrunk by its noise (docs/algorithms.md#shrunk-mean), and
    /// the matrix by what is left of that noise; of trace at most what the mean leaves of the
    /// squared norm bound (docs/algorithms.md#about-mean).
    [[nodiscard]] CovarianceEstimate result(const NoisyMean& mean,
                                            Length length = Length::shrunk) const;

private:
    // About that mean, in norm bounds, and the multiple of it that is expected to err least: zero
    // where it may be noise.
    struct AboutMean {
        CovarianceEstimate estimate;
        double kept = 0.0;
    };
    [[nodiscard]] AboutMean about(const NoisyMean& mean) const;

    // The nearest covariance of trace at most `unit` squared norm bounds, to a matrix in that unit;
    // the squared error of that is in squared norm bounds squared.
    [[nodiscard]] CovarianceEstimate projected(const Eigen::MatrixXd& matrix,
                                               std::optional<double> squared_error,
                                               double unit = 1.0) const;

    // So many noise variances are what rows of which nothing shows may hold, and noise.
    [[nodiscard]] double hidden_degrees_of_freedom() const;

    double norm_bound_;
    StrataModel model_;
    double relative_rows_variance_;
    Belief belief_;
    double noisy_trace_ = 0.0;
    double noise_variance_ =
        0.0;  // of a diagonal entry of the sum, over the squared norm bound's square
    bool any_ = false;
};

/// That from all strata of a release but those left out; about the mean where the strata have one.
[[nodiscard]] CovarianceEstimate estimate_of_strata(const Statistics& statistics,
                                                    Eigen::Index columns, double norm_bound,
                                                    Length length = Length::shrunk);

/// The matrix with its eigenvalues clamped to [0, norm_bound^2], to two thousandths of `error`,
/// which it errs by anyway.
[[nodiscard]] Eigen::MatrixXd clamped(const Eigen::MatrixXd& matrix, double norm_bound,
                                      double error = 0.0);

}  // namespace dpcov::detail
