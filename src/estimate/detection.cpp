#include "estimate/detection.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/risk.hpp"

namespace dpcov::detail {
namespace {

// The least z-score of all strata together, and its square for each e-fold of the trace's noise
// above little noise, in units of the greatest trace. Chosen on tables of people
// (docs/research-log.md#sum-of-all).
constexpr double sum_z = 2.5;
constexpr double squared_sum_z_per_fold = 3.0;
constexpr double little_noise = 0.01;

// By how much thresholds are higher than under Gaussian noise, for as many false alarms.
double tail_factor(const NoiseSpectrum& noise, const Tuning& tuning) {
    return noise.shape() == NoiseShape::gaussian
               ? 1.0
               : std::sqrt(1.0 + tuning.wishart_tail / degrees_of_freedom(noise.columns()));
}

double eigenvalue_threshold(const NoiseSpectrum& noise, const Tuning& tuning) {
    return tail_factor(noise, tuning) *
           (noise.edge() + tuning.detection_quantile * noise.edge_scale());
}

}  // namespace

double trace_z_score(const NoisyStratum& stratum) {
    return stratum.matrix.trace() /
           std::sqrt(stratum.noise_variance * static_cast<double>(stratum.matrix.rows()));
}

bool trace_is_detected(double z_score, bool first, const NoiseSpectrum& noise,
                       const Tuning& tuning) {
    const double threshold = first ? tuning.first_detection_z : tuning.detection_z;
    return z_score >= tail_factor(noise, tuning) * threshold;
}

bool eigenvalue_is_detected(const Eigen::MatrixXd& matrix, const NoiseSpectrum& noise,
                            const Tuning& tuning) {
    return greatest_eigenvalue_found(matrix) > eigenvalue_threshold(noise, tuning);
}

bool shape_is_detected(const Eigen::VectorXd& eigenvalues, const NoiseSpectrum& noise,
                       const Tuning& tuning) {
    const Eigen::Index d = eigenvalues.size();
    const Eigen::ArrayXd rest = eigenvalues.array() - eigenvalues.mean();
    const double squared_threshold =
        noise.s() * noise.s() *
        (degrees_of_freedom(d) - 1.0 + tuning.shape_z * stein_deviation(d, noise.shape(), tuning));
    return d == 1 || rest.maxCoeff() > eigenvalue_threshold(noise, tuning) ||
           rest.square().sum() > squared_threshold;
}

bool sum_is_detected(const NoisyStratum& sum, const NoiseSpectrum& noise, const Tuning& tuning) {
    const double deviation = std::sqrt(sum.noise_variance * static_cast<double>(sum.matrix.rows()));
    const double folds = std::log(deviation / little_noise);
    // What there is to gain, the square of the z-score, Stein's estimate has to tell from its own
    // deviation: with many columns no sum is weak and helps.
    const double freedom = degrees_of_freedom(sum.matrix.rows());
    const double squared_threshold =
        std::max({sum_z * sum_z, squared_sum_z_per_fold * folds, std::sqrt(2.0 * freedom)});
    return trace_z_score(sum) >= tail_factor(noise, tuning) * std::sqrt(squared_threshold);
}

bool is_provably_undetectable(Eigen::Index d, double s, const Tuning& tuning) {
    return s * std::sqrt(static_cast<double>(d)) * tuning.undetectable_z > 1.0;
}

}  // namespace dpcov::detail
