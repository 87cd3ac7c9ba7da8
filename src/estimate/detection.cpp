#include "estimate/detection.hpp"

#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/risk.hpp"

namespace dpcov::detail {
namespace {

// By how much thresholds are higher than under Gaussian noise, for as many false alarms.
double tail_factor(const NoiseSpectrum& noise, const Tuning& tuning) {
    return noise.shape() == NoiseShape::gaussian
               ? 1.0
               : std::sqrt(1.0 + tuning.wishart_tail / degrees_of_freedom(noise.columns()));
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
    const double threshold = tail_factor(noise, tuning) *
                             (noise.edge() + tuning.detection_quantile * noise.edge_scale());
    return greatest_eigenvalue_found(matrix) > threshold;
}

bool is_provably_undetectable(Eigen::Index d, double s, const Tuning& tuning) {
    return s * std::sqrt(static_cast<double>(d)) * tuning.undetectable_z > 1.0;
}

}  // namespace dpcov::detail
