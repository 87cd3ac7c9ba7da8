#include "estimate/risk.hpp"

#include <cmath>

namespace dpcov::detail {

double degrees_of_freedom(Eigen::Index d) {
    return 0.5 * static_cast<double>(d) * static_cast<double>(d + 1);
}

double spectral_divergence(const Eigen::VectorXd& noisy, const Eigen::VectorXd& shrunk,
                           const Eigen::VectorXd& slopes) {
    const Eigen::Index d = noisy.size();
    double divergence = slopes.sum();
    for (Eigen::Index j = 1; j < d; ++j) {
        for (Eigen::Index i = 0; i < j; ++i) {
            const double gap = noisy[j] - noisy[i];
            // The limit of the divided difference, for eigenvalues that coincide in doubles.
            divergence += gap > 0.0 ? (shrunk[j] - shrunk[i]) / gap : 0.5 * (slopes[i] + slopes[j]);
        }
    }
    return divergence;
}

double stein_risk(const Eigen::VectorXd& noisy, const Eigen::VectorXd& shrunk,
                  const Eigen::VectorXd& slopes, double s) {
    const auto d = static_cast<double>(noisy.size());
    return -s * s * 0.5 * d * (d + 1.0) + (shrunk - noisy).squaredNorm() +
           2.0 * s * s * spectral_divergence(noisy, shrunk, slopes);
}

double stein_risk(double squared_change, Eigen::Index d, double divergence, double variance) {
    return squared_change + variance * (2.0 * divergence - degrees_of_freedom(d));
}

double stein_deviation(Eigen::Index d, NoiseShape noise, const Tuning& tuning) {
    return (noise == NoiseShape::gaussian ? 1.0 : tuning.wishart_square_deviation) *
           std::sqrt(2.0 * degrees_of_freedom(d));
}

}  // namespace dpcov::detail
