// Coefficients averaged over models, each by its likelihood.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <vector>

#include "regression/regression_prior.hpp"

namespace dpcov::detail {

/// One sum for each prior, of coefficients that are to be solved for and of the multiple of T m
/// that means add to them. The priors outlive it.
class ModelAverage {
public:
    explicit ModelAverage(const std::vector<RegressionPrior>& priors);

    /// The model w = 0.
    void add_zero(double log_weight) { total_ += weight(log_weight); }
    /// A model of that prior.
    void add(double log_weight, std::size_t prior, const Eigen::ArrayXd& coefficients,
             double towards_means = 0.0);

    [[nodiscard]] Eigen::VectorXd mean() const;

private:
    // Over the greatest weight so far, to which all that was added is brought down.
    double weight(double log_weight);

    const std::vector<RegressionPrior>& priors_;
    double greatest_ = -std::numeric_limits<double>::infinity();
    double total_ = 0.0;
    Eigen::MatrixXd sums_;
    Eigen::ArrayXd towards_means_;
};

}  // namespace dpcov::detail
