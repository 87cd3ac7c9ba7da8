#include "derive/noisy_eigenvalue.hpp"

#include <limits>

namespace dpcov::detail {
namespace {

// How far apart two noisy eigenvalues are, in deviations of the noise along their eigenvectors,
// that are apart in the table too: the noise alone drives equal ones apart, two of them this far
// with a chance of exp(-4).
constexpr double least_gap = 4.0;
}  // namespace

Eigenvalue debiased(const NoisyCovariance& noisy, const Eigen::VectorXd& units,
                    const EigenDecomposition& eigen, Eigen::Index k) {
    const Eigen::MatrixXd scaled = units.asDiagonal() * eigen.vectors;
    const Eigen::VectorXd inner = scaled.transpose() * scaled.col(k);
    const Eigen::VectorXd along_mean = scaled.transpose() * noisy.mean;
    const double v = noisy.mean_noise_variance;
    // Of v_j^T N v_j. Where columns have other units, that of a small eigenvalue may be the
    // greatest of all: its column may have sunk there from the first place.
    const Eigen::ArrayXd squares = scaled.colwise().squaredNorm();
    const Eigen::ArrayXd own =
        noisy.noise_variance * squares.square() +
        2.0 * v * squares * (2.0 * along_mean.array().square() + v * squares);
    Eigenvalue result{.value = eigen.values[k]};
    double from_others = 0.0;  // of the squared norm, in the table's units, of an eigenvector
    double between = 0.0;      // that may have been turned back
    for (Eigen::Index j = 0; j < eigen.values.size(); ++j) {
        if (j == k) {
            continue;
        }
        const double squared = squares[j];
        const double of_mean = v * (along_mean[k] * along_mean[k] * squared +
                                    along_mean[j] * along_mean[j] * inner[k] +
                                    2.0 * along_mean[k] * along_mean[j] * inner[j]);
        const double variance =
            0.5 * noisy.noise_variance * (inner[k] * squared + inner[j] * inner[j]) + of_mean;
        const double gap = eigen.values[k] - eigen.values[j];
        // All three are the same where units are, and directions look alike from the mean.
        const double of_gap = std::fmax(2.0 * variance, 0.5 * (own[k] + own[j]));
        if (std::abs(gap) < least_gap * std::sqrt(of_gap)) {
            return {.value = eigen.values[k], .mixing = std::numeric_limits<double>::infinity()};
        }
        const double squared_angle = variance / (gap * gap);
        result.value -= variance / gap;
        result.mixing += squared_angle;
        result.turned += 2.0 * variance * squared_angle;  // of a squared normal over the gap
        from_others += squared_angle * std::fmax(0.0, squared - squares[k]);
        between += squared_angle * inner[j] * inner[j];
    }
    // Noise turns eigenvectors to where there is less of it. One deviation of the angles back there
    // may be so much more.
    result.louder += (from_others + 2.0 * std::sqrt(between)) / squares[k];
    return result;
}

}  // namespace dpcov::detail
