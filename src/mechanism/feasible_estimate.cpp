#include "mechanism/feasible_estimate.hpp"

#include <cmath>
#include <utility>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/about_mean.hpp"
#include "estimate/clamp.hpp"
#include "estimate/risk.hpp"
#include "estimate/simplex.hpp"
#include "mechanism/noisy_matrix.hpp"

namespace dpcov::detail {

CovarianceEstimate feasible_estimate(NoisyMatrix noisy, Variant variant, const FeasibleSet& set,
                                     double squared_noise) {
    CovarianceEstimate estimate;
    estimate.grid = noisy.grid;
    estimate.noisy_trace = noisy.matrix.trace();
    if (variant == Variant::paper) {
        estimate.covariance = std::move(noisy.matrix);
        estimate.estimated_squared_error = squared_noise;
        estimate.estimated_squared_norm = estimate.covariance.squaredNorm() - squared_noise;
        return estimate;
    }
    if (squared_noise > 0.0) {
        const NoisyMean about_zero = {Eigen::VectorXd::Zero(noisy.matrix.rows()), 0.0};
        estimate.estimated_squared_norm =
            squared_norm_beyond_noise(noisy.matrix, about_zero, squared_noise);
    }
    const EigenDecomposition eigen = eigen_decomposition(std::move(noisy.matrix));
    estimate.covariance = assemble(
        eigen.vectors,
        variant == Variant::best
            ? project_onto_simplex(eigen.values, std::fmin(set.squared_bound, set.trace_bound))
                  .values
            : clamp_eigenvalues(eigen.values, set.squared_bound));
    return estimate;
}

CovarianceEstimate feasible_about_mean(const NoisyMoment& all_rows, Variant variant) {
    const double squared_noise = all_rows.noise_scale * all_rows.noise_scale *
                                 degrees_of_freedom(all_rows.second_moment.rows());
    NoisyAboutMean centered = about_released_mean(all_rows, squared_noise);
    CovarianceEstimate estimate =
        feasible_estimate({.matrix = std::move(centered.matrix)},
                          variant == Variant::paper ? Variant::published : variant,
                          {.squared_bound = all_rows.radius * all_rows.radius});
    estimate.estimated_squared_norm = centered.squared_norm;
    estimate.mean = all_rows.mean;
    estimate.mean_deviations =
        Eigen::ArrayXd::Constant(all_rows.mean.size(), all_rows.mean_noise_scale);
    return estimate;
}

}  // namespace dpcov::detail
