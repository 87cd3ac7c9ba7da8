#include "estimate/linear_regression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::detail {
namespace {

constexpr int explained_shares = 25;   // R^2 on a grid of as many values, from 0.04 to 1
constexpr double odds_of_zero = 0.25;  // of w = 0 against all of them
// Where the noisy variances are lost in noise they are taken to be this many of its deviations.
constexpr double least_in_noise = 0.3;

}  // namespace

Eigen::VectorXd posterior_coefficients(const NoisyRegression& regression) {
    const EigenDecomposition eigen = eigen_decomposition(regression.features);
    const Eigen::ArrayXd b = (eigen.vectors.transpose() * regression.cross).array();
    const Eigen::ArrayXd a = eigen.values.cwiseMax(0.0).array();
    const auto p = static_cast<double>(b.size());
    const double s = std::sqrt(regression.noise_variance);
    const double v = 0.5 * regression.noise_variance;
    const double target = std::fmax(regression.target, least_in_noise * s);
    const double trace = std::fmax(regression.features.trace(), least_in_noise * s * std::sqrt(p));

    // Logarithms of likelihoods but for a common constant, and the posterior means.
    const double log_zero =
        -0.5 * (b.square().sum() / v + p * std::log(v)) + std::log(odds_of_zero * explained_shares);
    double greatest = log_zero;
    std::vector<double> log_likelihoods;
    std::vector<Eigen::ArrayXd> means;
    for (int i = 1; i <= explained_shares; ++i) {
        const double t = i / static_cast<double>(explained_shares) * target / trace;
        const Eigen::ArrayXd variance = t * a.square() + v * (1.0 + t * p);
        log_likelihoods.push_back(-0.5 * (b.square() / variance + variance.log()).sum());
        means.emplace_back(t * a * b / variance);
        greatest = std::fmax(greatest, log_likelihoods.back());
    }
    double total = std::exp(log_zero - greatest);
    Eigen::ArrayXd mean = Eigen::ArrayXd::Zero(b.size());
    for (std::size_t i = 0; i < means.size(); ++i) {
        const double likelihood = std::exp(log_likelihoods[i] - greatest);
        total += likelihood;
        mean += likelihood * means[i];
    }
    return eigen.vectors * (mean / total).matrix();
}

double equivalent_ridge(const NoisyRegression& regression, double norm) {
    const EigenDecomposition eigen = eigen_decomposition(regression.features);
    const Eigen::ArrayXd b = (eigen.vectors.transpose() * regression.cross).array();
    const Eigen::ArrayXd a = eigen.values.cwiseMax(0.0).array();
    const auto length = [&](double ridge) { return (b / (a + ridge)).matrix().norm(); };
    // |b| / lambda bounds the length: beyond |b| / norm it is shorter than wanted.
    double above = b.matrix().norm() / norm;
    double below = 0.0;
    for (int halvings = 0; halvings < 200 && below < above; ++halvings) {
        const double middle = std::midpoint(below, above);
        if (middle == below || middle == above) {
            break;
        }
        (length(middle) > norm ? below : above) = middle;
    }
    return below;
}

}  // namespace dpcov::detail
