#include "estimate/linear_regression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::detail {
namespace {

constexpr int explained_shares = 12;   // R^2 on a grid of as many values, the last 1
constexpr double odds_of_zero = 0.25;  // of w = 0 against all of them
// The variance of y counts as known where it is this many deviations of its noise.
constexpr double known_variance = 20.0;
// Else it lies between these, in deviations: the least, and what is above the noisy one.
constexpr double least_variance = 1.0 / 32.0;
constexpr double most_above = 3.0;
// Where the noisy trace is lost in noise it is taken to be this many of its deviations.
constexpr double least_trace = 0.3;

// The variances of y to average over.
std::vector<double> variances_of(const NoisyRegression& regression, double s) {
    if (regression.target > known_variance * s) {
        return {regression.target};
    }
    const double greatest = std::fmax(regression.target + most_above * s, 2.0 * least_variance * s);
    std::vector<double> variances;
    for (double c = greatest; c >= least_variance * s; c *= 0.5) {
        variances.push_back(c);
    }
    return variances;
}

// Of some models the averaged prediction: each with its logarithm of a weight.
struct Average {
    std::vector<double> log_weights;
    std::vector<Eigen::ArrayXd> values;

    void add(double log_weight, Eigen::ArrayXd value) {
        log_weights.push_back(log_weight);
        values.push_back(std::move(value));
    }
    [[nodiscard]] Eigen::ArrayXd mean() const {
        const double greatest = *std::max_element(log_weights.begin(), log_weights.end());
        double total = 0.0;
        Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(values.front().size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double weight = std::exp(log_weights[i] - greatest);
            total += weight;
            sum += weight * values[i];
        }
        return sum / total;
    }
};

double log_likelihood(const Eigen::ArrayXd& b, const Eigen::ArrayXd& variance) {
    return -0.5 * (b.square() / variance + variance.log()).sum();
}

}  // namespace

Eigen::VectorXd posterior_coefficients(const NoisyRegression& regression) {
    const EigenDecomposition eigen = eigen_decomposition(regression.features);
    const Eigen::ArrayXd b = (eigen.vectors.transpose() * regression.cross).array();
    const Eigen::ArrayXd a = eigen.values.cwiseMax(0.0).array();
    const auto p = static_cast<double>(b.size());
    const double s = std::sqrt(regression.noise_variance);
    const double trace = std::fmax(regression.features.trace(), least_trace * s * std::sqrt(p));

    Average average;
    for (const double c : variances_of(regression, s)) {
        const double deviation = (regression.target - c) / s;
        const double log_weight = -0.5 * deviation * deviation - std::log(c);
        const auto variance_of_b = [&](double explained, double t) -> Eigen::ArrayXd {
            return 0.5 * regression.noise_variance * (1.0 + t * p) +
                   (1.0 - explained) * c / regression.rows * a;
        };
        average.add(log_weight + log_likelihood(b, variance_of_b(0.0, 0.0)) +
                        std::log(odds_of_zero * explained_shares),
                    Eigen::ArrayXd::Zero(b.size()));
        for (int i = 1; i <= explained_shares; ++i) {
            const double explained = i / static_cast<double>(explained_shares);
            const double t = explained * c / trace;
            const Eigen::ArrayXd variance = t * a.square() + variance_of_b(explained, t);
            average.add(log_weight + log_likelihood(b, variance), t * a * b / variance);
        }
    }
    return eigen.vectors * average.mean().matrix();
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
