#include "estimate/covariance_estimate.hpp"

#include <cmath>
#include <utility>

#include "arithmetic/leading_directions.hpp"
#include "estimate/about_mean.hpp"
#include "estimate/nearest_covariance.hpp"
#include "estimate/risk.hpp"

namespace dpcov::detail {

CovarianceEstimate clamped_estimate(const NoisyMoment& all_rows) {
    const Eigen::MatrixXd& noisy = all_rows.second_moment;
    const double s = all_rows.noise_scale;
    CovarianceEstimate estimate;
    estimate.noisy_trace = noisy.trace();
    estimate.estimated_squared_norm =
        noisy.squaredNorm() - s * s * degrees_of_freedom(noisy.rows());
    const double error = s * std::sqrt(degrees_of_freedom(noisy.rows()));
    if (all_rows.mean.size() > 0) {
        const NoisyAboutMean centered = about_released_mean(all_rows, error * error);
        estimate.estimated_squared_norm = centered.squared_norm;
        estimate.covariance = clamped(centered.matrix, all_rows.radius, error);
        estimate.mean = all_rows.mean;
        estimate.mean_deviations =
            Eigen::ArrayXd::Constant(noisy.rows(), all_rows.mean_noise_scale);
        return estimate;
    }
    const double squared_radius = all_rows.radius * all_rows.radius;
    if (has_spectrum_within(noisy, squared_radius)) {
        // Nothing is to be clamped, so all of the noise is left.
        estimate.covariance = noisy;
        estimate.estimated_squared_error = error * error;
        estimate.slope = estimate.noisy_trace;
        return estimate;
    }
    SpectralMap clamped = with_clamped_spectrum(noisy, squared_radius, error);
    estimate.covariance = std::move(clamped.matrix);
    const Eigen::VectorXd slopes =
        (clamped.mapped.array() == clamped.values.array()).template cast<double>();
    estimate.estimated_squared_error =
        std::fmax(s * s, stein_risk(clamped.values, clamped.mapped, slopes, s));
    estimate.slope = slopes.dot(clamped.mapped);
    return estimate;
}

namespace {

// Of what the estimate of a second moment is believed to err by, so much is taken to be left about
// the mean; and by so much more than its expected noise a covariance is shortened. Chosen on
// tables of all kinds (docs/research-log.md#about-mean).
constexpr double error_left = 0.5;
constexpr double extra_shrinkage = 1.2;
}  // namespace

StrataEstimate::StrataEstimate(Eigen::Index columns, double norm_bound,
                               const Statistics& statistics)
    : norm_bound_(norm_bound),
      model_{.rows = statistics.rows, .noise = statistics.noise},
      relative_rows_variance_(std::pow(statistics.rows_deviation / statistics.rows, 2)),
      belief_(prior_belief(columns)) {}

void StrataEstimate::add(NoisyMoment stratum) {
    const double squared_bound = norm_bound_ * norm_bound_;
    const double noise_scale = stratum.noise_scale / squared_bound;
    noisy_trace_ += stratum.second_moment.trace();
    stratum.second_moment /= squared_bound;
    belief_ = with_stratum(std::move(belief_),
                           {.matrix = std::move(stratum.second_moment),
                            .noise_variance = noise_scale * noise_scale,
                            .radius = stratum.radius / norm_bound_},
                           model_);
    any_ = true;
    noise_variance_ += noise_scale * noise_scale;
}

CovarianceEstimate StrataEstimate::result() && {
    belief_ = with_all_together(std::move(belief_), model_);
    const std::optional<double> squared_error = estimated_squared_error(belief_);
    CovarianceEstimate estimate = projected(belief_.estimate, squared_error);
    // Sums were divided by n^ = n (1 + h z) for a normal z. Of all multiples a of that E(a n/n^ -
    // 1)^2 is least, to first order, for a = 1/(1 + h^2).
    estimate.covariance /= 1.0 + relative_rows_variance_;
    if (any_ && squared_error) {
        const double unit = std::pow(norm_bound_, 4);
        estimate.estimated_squared_error = unit * *squared_error;
        estimate.squared_error_of_hidden_rows =
            unit * std::fmax(*squared_error, noise_variance_ * hidden_degrees_of_freedom());
    }
    return estimate;
}

double StrataEstimate::hidden_degrees_of_freedom() const {
    constexpr double beside_noise = 9.0;  // three deviations along one direction
    return degrees_of_freedom(belief_.estimate.rows()) + beside_noise;
}

StrataEstimate::AboutMean StrataEstimate::about(const NoisyMean& mean) const {
    ShrunkAboutMean about = shrunk_about_mean(belief_.estimate, mean);
    const double trace = greatest_trace(mean);
    about.matrix /= trace;
    const std::optional<double> squared_error = estimated_squared_error(belief_);
    AboutMean result{projected(about.matrix, squared_error, trace)};
    // With extra_shrinkage 1 this is the multiple that is expected to err least.
    const double noise =
        extra_shrinkage * (about.squared_noise + error_left * squared_error.value_or(0.0));
    const double size = result.estimate.covariance.squaredNorm() / std::pow(norm_bound_, 4);
    // The second moment has noise of its own along the mean.
    const double variance_along_mean = about.variance_along_mean + noise_variance_;
    if (noise < size && !may_be_noise(size, variance_along_mean, trace)) {
        result.kept = 1.0 - noise / size;
    }
    return result;
}

CovarianceEstimate StrataEstimate::result(const NoisyMean& mean, Length length) const {
    const NoisyMean noisy = {mean.mean / norm_bound_, mean.deviation / norm_bound_,
                             mean.more_variance_along / (norm_bound_ * norm_bound_),
                             mean.relative_rows_variance};
    const NoisyMean shrunk =
        shrunk_mean(noisy, rough_leading_directions(belief_.estimate, 4), belief_.estimate);
    AboutMean centered =
        belief_.estimate.isZero(0.0) ? AboutMean{projected(belief_.estimate, {})} : about(shrunk);
    // About the noisy mean less is left by chance along it, since that is too long.
    if (length == Length::shrunk && centered.kept > 0.0 && about(noisy).kept == 0.0) {
        centered.kept = 0.0;
    }
    CovarianceEstimate estimate = std::move(centered.estimate);
    estimate.mean = norm_bound_ * with_limited_translation(shrunk.mean, noisy);
    estimate.mean_deviations = norm_bound_ * shrunk.deviations();
    if (length == Length::shrunk) {
        estimate.covariance *= centered.kept;
        estimate.covariance.array() += 0.0;  // no -0 where nothing is kept
    }
    return estimate;
}

CovarianceEstimate StrataEstimate::projected(const Eigen::MatrixXd& matrix,
                                             std::optional<double> squared_error,
                                             double unit) const {
    CovarianceEstimate estimate;
    estimate.noisy_trace = noisy_trace_;
    if (!any_) {
        estimate.covariance = matrix;
        return estimate;
    }
    const double squared_bound = norm_bound_ * norm_bound_;
    const double error = std::sqrt(squared_error.value_or(0.0));
    estimate.covariance = squared_bound * unit * nearest_covariance(matrix, error / unit);
    return estimate;
}

CovarianceEstimate estimate_of_strata(const Statistics& statistics, Eigen::Index columns,
                                      double norm_bound, Length length) {
    StrataEstimate estimate(columns, norm_bound, statistics);
    for (const NoisyMoment& stratum : statistics.strata) {
        if (!stratum.left_out) {
            estimate.add(stratum);
        }
    }
    const std::optional<NoisyMean> mean = mean_of_strata(statistics, traces_of(statistics));
    return mean ? estimate.result(*mean, length) : std::move(estimate).result();
}

Eigen::MatrixXd clamped(const Eigen::MatrixXd& matrix, double norm_bound, double error) {
    const double squared_bound = norm_bound * norm_bound;
    return has_spectrum_within(matrix, squared_bound)
               ? matrix
               : with_clamped_spectrum(matrix, squared_bound, error).matrix;
}

}  // namespace dpcov::detail
