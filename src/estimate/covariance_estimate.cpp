#include "estimate/covariance_estimate.hpp"

#include <cmath>
#include <utility>

#include "estimate/nearest_covariance.hpp"
#include "estimate/risk.hpp"

namespace dpcov::detail {

Eigen::MatrixXd about_mean(const Eigen::MatrixXd& second_moment, const NoisyMean& mean) {
    const double squared_length = mean.mean.squaredNorm();
    const double overshoot = squared_length > 0.0 ? mean.more_variance_along / squared_length : 0.0;
    Eigen::MatrixXd matrix = second_moment - (1.0 - overshoot) * mean.mean * mean.mean.transpose();
    matrix.diagonal().array() += mean.deviation * mean.deviation;
    return matrix;
}

namespace {

// What the noise of the mean adds to the squared norm: of mu e^T + e mu^T + e e^T - v I.
double squared_noise_of(const NoisyMean& mean) {
    const auto d = static_cast<double>(mean.mean.size());
    const double v = mean.deviation * mean.deviation;
    const double squared_mean = mean.mean.squaredNorm() - d * v;
    return (d + 1.0) * v * (2.0 * squared_mean + d * v);
}

}  // namespace

double squared_norm_without_noise(const Eigen::MatrixXd& about_mean, const NoisyMean& mean,
                                  double squared_noise) {
    return about_mean.squaredNorm() - squared_noise - squared_noise_of(mean);
}

double squared_norm_beyond_noise(const Eigen::MatrixXd& about_mean, const NoisyMean& mean,
                                 double squared_noise) {
    const double squared_norm = squared_norm_without_noise(about_mean, mean, squared_noise);
    const auto d = static_cast<double>(about_mean.rows());
    // Of a sum of squares of so many coordinates, and of |e|^4.
    const double deviation =
        std::hypot(squared_noise * std::sqrt(2.0 / degrees_of_freedom(about_mean.rows())),
                   squared_noise_of(mean) * std::sqrt(8.0 / d));
    return squared_norm > 2.0 * deviation ? squared_norm : 0.0;
}

CovarianceEstimate clamped_estimate(const NoisyMoment& all_rows) {
    const Eigen::MatrixXd& noisy = all_rows.second_moment;
    const double s = all_rows.noise_scale;
    CovarianceEstimate estimate;
    estimate.noisy_trace = noisy.trace();
    estimate.estimated_squared_norm =
        noisy.squaredNorm() - s * s * degrees_of_freedom(noisy.rows());
    const double error = s * std::sqrt(degrees_of_freedom(noisy.rows()));
    if (all_rows.mean.size() > 0) {
        const NoisyMean mean = {all_rows.mean, all_rows.mean_noise_scale};
        const Eigen::MatrixXd centered = about_mean(noisy, mean);
        estimate.estimated_squared_norm = squared_norm_beyond_noise(centered, mean, error * error);
        estimate.covariance = clamped(centered, all_rows.radius, error);
        estimate.mean = all_rows.mean;
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
    estimate.estimated_squared_error = stein_risk(clamped.values, clamped.mapped, slopes, s);
    estimate.slope = slopes.dot(clamped.mapped);
    return estimate;
}

namespace {

// Of what the estimate of a second moment is believed to err by, so much is taken to be left about
// the mean; and by so much more than its expected noise a covariance is shortened. Chosen on
// tables of all kinds (docs/research-log.md#about-mean).
constexpr double error_left = 0.5;
constexpr double extra_shrinkage = 1.2;
// A covariance is zero below so many deviations of the noise along the mean, squared, for each
// e-fold of that noise above this part of the greatest trace. Chosen on 42 tables, tried on 25
// others (same place).
constexpr double squared_z_score_per_fold = 7.0;
constexpr double harmless_noise = 0.01;

struct ShrunkAboutMean {
    Eigen::MatrixXd matrix;
    double squared_noise = 0.0;        ///< that the mean's noise is expected to add to it
    double variance_along_mean = 0.0;  ///< that it adds to u^T matrix u, u = m / |m|
};

// m m^T is off by m e^T + e m^T: the row and the column along m have noise of variance v |m|^2 in
// each entry, and four times that where they meet. Where the mean is long that is most of all
// noise. What lies across m is shrunk by it (James and Stein).
ShrunkAboutMean shrunk_about_mean(const Eigen::MatrixXd& second_moment, const NoisyMean& mean) {
    ShrunkAboutMean shrunk{about_mean(second_moment, mean)};
    const double squared_length = mean.mean.squaredNorm();
    if (squared_length == 0.0) {
        return shrunk;
    }
    const double variance = mean.deviation * mean.deviation * squared_length;
    const Eigen::VectorXd direction = mean.mean / std::sqrt(squared_length);
    const Eigen::VectorXd row = shrunk.matrix.selfadjointView<Eigen::Lower>() * direction;
    const Eigen::VectorXd across = row - direction.dot(row) * direction;
    const double noise = variance * static_cast<double>(across.size() - 1);
    const double kept = noise < across.squaredNorm() ? 1.0 - noise / across.squaredNorm() : 0.0;
    // Column by column: no other matrix is made.
    for (Eigen::Index j = 0; j < across.size(); ++j) {
        shrunk.matrix.col(j) -= (1.0 - kept) * (across[j] * direction + direction[j] * across);
    }
    // A common factor on A and m moves their difference by a multiple of m m^T, most of all: by
    // f (1 - f) |mu|^2, and A is f |mu|^2 there.
    const double along = squared_length + std::fmax(0.0, direction.dot(row));
    shrunk.variance_along_mean =
        4.0 * squared_length * (mean.deviation * mean.deviation + mean.more_variance_along) +
        mean.relative_rows_variance * along * along;
    shrunk.squared_noise = 2.0 * kept * noise + shrunk.variance_along_mean;
    return shrunk;
}

// Whether a covariance of that squared norm may be what the noise along the mean made, rather than
// of rows. Nothing is known of how much columns vary, but that a covariance of the greatest trace
// is less of a surprise than noise of that size: so the more noise there is, the clearer it has to
// be. A false alarm is many times what there is where the mean is long and columns vary little.
bool may_be_noise(double squared_norm, double variance_along_mean, double greatest_trace) {
    const double folds =
        0.5 * std::log(variance_along_mean) - std::log(harmless_noise * greatest_trace);
    return folds > 0.0 && squared_norm < squared_z_score_per_fold * folds * variance_along_mean;
}

// Of rows no longer than 1 about their mean: 1 - |mu|^2, of which the noise leaves little doubt.
double greatest_trace(const NoisyMean& mean) {
    constexpr double deviations = 2.0;
    const double v = mean.deviation * mean.deviation;
    const double squared_length = mean.mean.squaredNorm() -
                                  static_cast<double>(mean.mean.size()) * v -
                                  mean.more_variance_along;
    const double length = std::sqrt(std::fmax(0.0, squared_length)) -
                          deviations * std::sqrt(v + mean.more_variance_along);
    constexpr double least = 1e-6;
    return std::fmax(least, 1.0 - std::pow(std::fmax(0.0, length), 2));
}

}  // namespace

StrataEstimate::StrataEstimate(Eigen::Index columns, double norm_bound, StrataModel model)
    : norm_bound_(norm_bound), model_(model), belief_(prior_belief(columns)) {}

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

CovarianceEstimate StrataEstimate::result() const {
    const std::optional<StratumEstimate> together = estimate_together(belief_, model_);
    const std::optional<double> squared_error =
        together ? std::optional(together->error.fresh) : estimated_squared_error(belief_);
    CovarianceEstimate estimate =
        projected(together ? together->matrix : belief_.estimate, squared_error);
    if (any_ && squared_error) {
        estimate.estimated_squared_error = std::pow(norm_bound_, 4) * *squared_error;
    }
    return estimate;
}

CovarianceEstimate StrataEstimate::result(const NoisyMean& mean, Length length) const {
    if (belief_.estimate.isZero(0.0)) {
        CovarianceEstimate nothing = projected(belief_.estimate, {});
        nothing.mean = mean.mean;
        return nothing;
    }
    const NoisyMean scaled = {mean.mean / norm_bound_, mean.deviation / norm_bound_,
                              mean.more_variance_along / (norm_bound_ * norm_bound_),
                              mean.relative_rows_variance};
    ShrunkAboutMean about = shrunk_about_mean(belief_.estimate, scaled);
    const double trace = greatest_trace(scaled);
    about.matrix /= trace;
    const std::optional<double> squared_error = estimated_squared_error(belief_);
    CovarianceEstimate estimate = projected(about.matrix, squared_error, trace);
    estimate.mean = mean.mean;
    if (length == Length::noisy) {
        return estimate;
    }
    // With extra_shrinkage 1 this is the multiple that is expected to err least.
    const double noise =
        extra_shrinkage * (about.squared_noise + error_left * squared_error.value_or(0.0));
    const double size = estimate.covariance.squaredNorm() / std::pow(norm_bound_, 4);
    // The second moment has noise of its own along the mean.
    const double variance_along_mean = about.variance_along_mean + noise_variance_;
    estimate.covariance *=
        noise < size && !may_be_noise(size, variance_along_mean, trace) ? 1.0 - noise / size : 0.0;
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
    StrataEstimate estimate(columns, norm_bound,
                            {.rows = statistics.rows, .noise = statistics.noise});
    for (const NoisyMoment& stratum : statistics.strata) {
        if (!stratum.left_out) {
            estimate.add(stratum);
        }
    }
    const std::optional<NoisyMean> mean = mean_of_strata(statistics, traces_of(statistics));
    return mean ? estimate.result(*mean, length) : estimate.result();
}

Eigen::MatrixXd clamped(const Eigen::MatrixXd& matrix, double norm_bound, double error) {
    const double squared_bound = norm_bound * norm_bound;
    return has_spectrum_within(matrix, squared_bound)
               ? matrix
               : with_clamped_spectrum(matrix, squared_bound, error).matrix;
}

}  // namespace dpcov::detail
