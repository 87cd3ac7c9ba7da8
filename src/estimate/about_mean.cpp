#include "estimate/about_mean.hpp"

#include <cmath>

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
    // Not std::hypot, which is that of a newer system than wheels are for.
    const double deviation =
        Eigen::numext::hypot(squared_noise * std::sqrt(2.0 / degrees_of_freedom(about_mean.rows())),
                             squared_noise_of(mean) * std::sqrt(8.0 / d));
    return squared_norm > 2.0 * deviation ? squared_norm : 0.0;
}

NoisyAboutMean about_released_mean(const NoisyMoment& all_rows, double squared_noise) {
    const NoisyMean mean = {all_rows.mean, all_rows.mean_noise_scale};
    NoisyAboutMean result{.matrix = about_mean(all_rows.second_moment, mean)};
    result.squared_norm = squared_norm_beyond_noise(result.matrix, mean, squared_noise);
    return result;
}

namespace {

// A covariance is zero below so many deviations of the noise along the mean, squared, for each
// e-fold of that noise above this part of the greatest trace. Chosen on 42 tables, tried on 25
// others (same place).
constexpr double squared_z_score_per_fold = 7.0;
constexpr double harmless_noise = 0.01;

}  // namespace

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

}  // namespace dpcov::detail
