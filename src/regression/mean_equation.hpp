// What the means of target and features tell of a line that passes near the middles of the bounds.
// Derivation: docs/deriving.md#by-means.
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "regression/diagonal_plus_rank_one.hpp"
#include "regression/model_average.hpp"
#include "regression/regression_prior.hpp"

namespace dpcov::detail {

/// The mean of the target about the middle of its bounds, and what noise is in it.
struct MeanOfTarget {
    double value;
    double noise_variance;
    double squared_range;  ///< of half the range of its bounds
};

/// The line goes through the mean: m_y = m^T w + k, and k, its height at the middles of the bounds,
/// is of one of some variances. So means tell of w, too, the more the less else is known.
class MeanEquation {
public:
    /// `means` are the features', in the basis of the prior.
    MeanEquation(const RegressionPrior& prior, const Eigen::VectorXd& means, MeanOfTarget target);

    /// Adds the models of prior `index` that have the length `t`, one for each variance of k.
    /// `covariance` is that of the `equations`.
    void add_to(ModelAverage& average, double log_weight, std::size_t index,
                const Eigen::ArrayXd& equations, const DiagonalPlusRankOne& covariance,
                double t) const;

private:
    Eigen::ArrayXd along_;
    double prior_variance_;
    MeanOfTarget target_;
};

/// The logarithm of the density of the target's mean where w = 0, summed over the variances of k.
[[nodiscard]] double log_density_of_height(const MeanOfTarget& target);

}  // namespace dpcov::detail
