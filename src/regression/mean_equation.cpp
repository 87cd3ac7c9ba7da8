#include "regression/mean_equation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dpcov::detail {
namespace {

// Of the line's height at the middles of the bounds, in squared half-ranges.
constexpr std::array<double, 3> variances_of_height = {1.0, 0x1p-4, 0x1p-8};

double log_normal_density(double x, double variance) {
    return -0.5 * (x * x / variance + std::log(variance));
}

}  // namespace

MeanEquation::MeanEquation(const RegressionPrior& prior, const Eigen::VectorXd& means,
                           MeanOfTarget target)
    : along_(prior.transposed_solved(means).array()),
      prior_variance_(means.dot(prior.prior_of_means)),
      target_(target) {}

void MeanEquation::add_to(ModelAverage& average, double log_weight, std::size_t index,
                          const Eigen::ArrayXd& equations, const DiagonalPlusRankOne& covariance,
                          double t) const {
    const Eigen::ArrayXd solution = t * covariance.solve(equations);
    const Eigen::ArrayXd known = t * covariance.solve(along_);
    const double gap = target_.value - (along_ * solution).sum();
    const double left = std::fmax(0.0, t * (prior_variance_ - (along_ * known).sum()));
    for (const double height : variances_of_height) {
        const double spread = left + height * target_.squared_range + target_.noise_variance;
        const double moved = gap / spread;
        average.add(log_weight + log_normal_density(gap, spread), index,
                    solution - (t * moved) * known, t * moved);
    }
}

double log_density_of_height(const MeanOfTarget& target) {
    std::array<double, variances_of_height.size()> densities{};
    std::transform(variances_of_height.begin(), variances_of_height.end(), densities.begin(),
                   [&](double height) {
                       return log_normal_density(
                           target.value, height * target.squared_range + target.noise_variance);
                   });
    // Over the greatest: all of them may be next to nothing, where the mean is far out.
    const double greatest = *std::max_element(densities.begin(), densities.end());
    double sum = 0.0;
    for (const double density : densities) {
        sum += std::exp(density - greatest);
    }
    return greatest + std::log(sum);
}

}  // namespace dpcov::detail
