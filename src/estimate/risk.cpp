#include "estimate/risk.hpp"

namespace dpcov::detail {

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

}  // namespace dpcov::detail
