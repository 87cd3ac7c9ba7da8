#include "estimate/covariance_estimate.hpp"

#include <utility>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/clamp.hpp"
#include "estimate/risk.hpp"
#include "estimate/simplex.hpp"

namespace dpcov::detail {

CovarianceEstimate clamped_estimate(const NoisyMoment& all_rows) {
    const Eigen::MatrixXd& noisy = all_rows.second_moment;
    const double s = all_rows.noise_scale;
    CovarianceEstimate estimate;
    estimate.noisy_trace = noisy.trace();
    estimate.estimated_squared_norm =
        noisy.squaredNorm() - s * s * degrees_of_freedom(noisy.rows());
    const EigenDecomposition eigen = eigen_decomposition(Eigen::MatrixXd(noisy));
    const Eigen::VectorXd clamped =
        clamp_eigenvalues(eigen.values, all_rows.radius * all_rows.radius);
    estimate.covariance = assemble(eigen.vectors, clamped);
    const Eigen::VectorXd slopes =
        (clamped.array() == eigen.values.array()).template cast<double>();
    estimate.estimated_squared_error = stein_risk(eigen.values, clamped, slopes, s);
    return estimate;
}

StrataEstimate::StrataEstimate(Eigen::Index columns, double norm_bound, StrataModel model)
    : norm_bound_(norm_bound), model_(model), belief_(prior_belief(columns)) {}

void StrataEstimate::add(const NoisyMoment& stratum) {
    const double squared_bound = norm_bound_ * norm_bound_;
    const double noise_scale = stratum.noise_scale / squared_bound;
    noisy_trace_ += stratum.second_moment.trace();
    belief_ = with_stratum(std::move(belief_),
                           {.matrix = stratum.second_moment / squared_bound,
                            .noise_variance = noise_scale * noise_scale,
                            .radius = stratum.radius / norm_bound_},
                           model_);
    any_ = true;
}

CovarianceEstimate StrataEstimate::result() const {
    CovarianceEstimate estimate;
    if (!any_) {
        estimate.covariance = belief_.estimate;
        return estimate;
    }
    const double squared_bound = norm_bound_ * norm_bound_;
    const EigenDecomposition eigen = eigen_decomposition(Eigen::MatrixXd(belief_.estimate));
    estimate.covariance =
        squared_bound * assemble(eigen.vectors, project_onto_simplex(eigen.values, 1.0).values);
    estimate.noisy_trace = noisy_trace_;
    if (const std::optional<double> risk = estimated_squared_error(belief_)) {
        estimate.estimated_squared_error = squared_bound * squared_bound * *risk;
    }
    return estimate;
}

CovarianceEstimate estimate_of_strata(const Statistics& statistics, Eigen::Index columns,
                                      double norm_bound) {
    StrataEstimate estimate(columns, norm_bound,
                            {.rows = statistics.rows, .noise = statistics.noise});
    for (const NoisyMoment& stratum : statistics.strata) {
        if (!stratum.left_out) {
            estimate.add(stratum);
        }
    }
    return estimate.result();
}

Eigen::MatrixXd centered_estimate(const Eigen::MatrixXd& second_moment, const Eigen::VectorXd& mean,
                                  double mean_noise_scale, double norm_bound) {
    // m m^T overshoots by the noise variance on the diagonal, which is known.
    Eigen::MatrixXd matrix = second_moment - mean * mean.transpose();
    matrix.diagonal().array() += mean_noise_scale * mean_noise_scale;
    const EigenDecomposition eigen = eigen_decomposition(std::move(matrix));
    return assemble(eigen.vectors, clamp_eigenvalues(eigen.values, norm_bound * norm_bound));
}

}  // namespace dpcov::detail
