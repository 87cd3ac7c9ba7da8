#include "estimate/linear_regression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/noise_spectrum.hpp"
#include "estimate/shrinkage.hpp"
#include "estimate/weighed_sum.hpp"

namespace dpcov::detail {
namespace {

// R^2 is one of as many values up to 1, at equal distances, or fainter: the first of them halved,
// up to as many times.
constexpr int explained_shares = 12;
constexpr int faint_shares = 8;
constexpr double odds_of_faint = 0.1;  // of one faint value against one of the others
constexpr double odds_of_zero = 0.2;   // of w = 0 against all of the others
// What is made least is the expected error over c^power: 0 for the error itself, 1 for its share of
// the error of predicting zero.
constexpr double power_of_variance = 0.5;
// The variance of y counts as known where it is this many deviations of its noise.
constexpr double known_variance = 20.0;
// Else it lies between these, in deviations: the least, about zero or about a mean, where bounds
// that are much too wide leave little of it; and what is above the noisy one.
constexpr double least_about_zero = 0x1p-5;
constexpr double least_about_mean = 0x1p-9;
constexpr double most_above = 3.0;
constexpr int most_halvings = 14;  // (known_variance + most_above) / least_about_mean < 2^14
// The sampling of the rows counts for at most so many times the noise of the release: with next to
// no noise what is wanted, and what intervals are about, is least squares on the table itself.
constexpr double most_sampling_noise = 1e4;
// The features vary along w at least as much as is seen there less so many deviations.
constexpr double deviations_seen = 2.0;
// What is not explained is at most what least squares leaves, and so many deviations more.
constexpr double deviations_above = 2.0;

struct Share {
    double explained;  // R^2
    double log_odds;
};

std::vector<Share> shares_to_average_over() {
    std::vector<Share> shares;
    for (int i = 1; i <= explained_shares; ++i) {
        shares.push_back({i / static_cast<double>(explained_shares), 0.0});
    }
    for (int halvings = 1; halvings <= faint_shares; ++halvings) {
        shares.push_back({std::ldexp(1.0 / explained_shares, -halvings), std::log(odds_of_faint)});
    }
    return shares;
}

// The variances of y to average over.
std::vector<double> variances_of(const NoisyRegression& regression, double s) {
    if (regression.target > known_variance * s) {
        return {regression.target};
    }
    const bool about_mean = regression.mean_noise_variance > 0.0;
    const double least = s * (about_mean ? least_about_mean : least_about_zero);
    const double greatest = std::fmax(regression.target + most_above * s, 2.0 * least);
    std::vector<double> variances;
    for (int halvings = 0; halvings <= most_halvings; ++halvings) {
        const double c = std::ldexp(greatest, -halvings);
        if (c < least) {
            break;
        }
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

// Noise pulls eigenvalues apart: along the noisy eigenvectors A has others, not below zero. Those
// of a block have a mean with noise of variance s^2 / size.
Eigen::ArrayXd expected_eigenvalues(const Eigen::VectorXd& noisy, double s) {
    const auto p = static_cast<double>(noisy.size());
    const double width = s * std::sqrt(2.0 * p) / std::cbrt(p);
    const Eigen::VectorXd shrunk =
        rotation_invariant_shrinkage(noisy, NoiseSpectrum(NoiseShape::gaussian, noisy.size(), s),
                                     width, {1})
            .front()
            .values;
    Eigen::ArrayXd expected(noisy.size());
    for (Eigen::Index first = 0; first < shrunk.size();) {
        Eigen::Index end = first + 1;
        while (end < shrunk.size() && shrunk[end] == shrunk[first]) {
            ++end;
        }
        const Eigen::Index size = end - first;
        expected.segment(first, size)
            .setConstant(positive_mean(shrunk[first], s / std::sqrt(static_cast<double>(size))));
        first = end;
    }
    return expected * (positive_mean(noisy.sum(), s * std::sqrt(p)) / expected.sum());
}

// How the variance of w_i may go with that of the features along i: as a_i^-power, where noise does
// not hide it. With 0 directions matter alike for w, with 1 for y.
struct Power {
    double power;
    double chance;
};
constexpr std::array<Power, 3> powers = {{{0.0, 0.5}, {0.5, 0.25}, {1.0, 0.25}}};

// A prior w_i ~ N(0, t h_i).
struct Prior {
    double log_chance = 0.0;
    Eigen::ArrayXd h;
    Eigen::ArrayXd spread;   // the expected variance of (A w)_i over t
    double explained = 0.0;  // the expected variance of x^T w over t
};

// Off the diagonal A_ij has the variance s^2 / 2 of its noise, unless that is more than the chance
// that rows in all directions would give it: A_ii A_jj / p. Precisions add.
Prior prior_of(const Power& power, const Eigen::ArrayXd& a, double s) {
    const auto p = static_cast<double>(a.size());
    const double precision = 2.0 / (s * s);
    Prior prior{.log_chance = std::log(power.chance),
                .h = (a + s * std::sqrt(p)).pow(-power.power),
                .spread = Eigen::ArrayXd(a.size())};
    for (Eigen::Index i = 0; i < a.size(); ++i) {
        const Eigen::ArrayXd variances = (precision + p / (a[i] * a)).inverse() * prior.h;
        prior.spread[i] = (a[i] * a[i] + std::fmin(s * s, a[i] * a[i])) * prior.h[i] +
                          variances.sum() - variances[i];
    }
    prior.explained = (a * prior.h).sum();
    return prior;
}

// What least squares leaves of the variance of y along the directions that show, and some
// deviations of its noise more; infinite where so few rows can be fitted exactly.
double most_unexplained(const NoisyRegression& regression, const Eigen::ArrayXd& a,
                        const Eigen::ArrayXd& b, double s) {
    const double hidden = s * std::sqrt(static_cast<double>(a.size()));
    const Eigen::ArrayXd w = (a > hidden).select(b / a, 0.0);
    const auto fitted = static_cast<double>((a > hidden).count());
    if (fitted >= regression.rows) {
        return std::numeric_limits<double>::infinity();
    }
    // u^T N u of noise N with variance s^2 has the deviation s |u|^2, and u = (-w, 1).
    const double noise = s * (1.0 + w.square().sum());
    return std::fmax(0.0, regression.target - (b * w).sum() + deviations_above * noise) *
           regression.rows / (regression.rows - fitted);
}

// w^T A w is believed to be `a` along w, and the noise of what is seen has the deviation s |w|^2.
// Where y goes with a direction that varies much and that no noisy eigenvector shows, b is long
// along it, and w too long by as much as more is seen than believed.
Eigen::ArrayXd no_longer_than_seen(Eigen::ArrayXd w, const Eigen::ArrayXd& a,
                                   const Eigen::ArrayXd& noisy, double s) {
    const double believed = (a * w.square()).sum();
    const double seen = ((noisy - deviations_seen * s) * w.square()).sum();
    if (seen > believed) {
        w *= believed / seen;
    }
    return w;
}

}  // namespace

Eigen::VectorXd posterior_coefficients(const NoisyRegression& regression) {
    const EigenDecomposition eigen = eigen_decomposition(regression.features);
    const Eigen::ArrayXd b = (eigen.vectors.transpose() * regression.cross).array();
    const double s = std::sqrt(regression.noise_variance);
    const Eigen::ArrayXd a = expected_eigenvalues(eigen.values, s);
    std::vector<Prior> priors;
    priors.reserve(powers.size());
    for (const Power& power : powers) {
        priors.push_back(prior_of(power, a, s));
    }

    const std::vector<Share> shares = shares_to_average_over();
    const double unexplained = most_unexplained(regression, a, b, s);
    Average average;
    for (const double c : variances_of(regression, s)) {
        const double deviation = (regression.target - c) / s;
        const double log_weight = -0.5 * deviation * deviation - power_of_variance * std::log(c);
        const auto noise_of_b = [&](double explained) -> Eigen::ArrayXd {
            const double noise = 0.5 * regression.noise_variance;
            const double q = std::fmin((1.0 - explained) * c, unexplained);
            return noise + (q / regression.rows * a).min(most_sampling_noise * noise);
        };
        average.add(log_weight + log_likelihood(b, noise_of_b(0.0)) +
                        std::log(odds_of_zero * explained_shares),
                    Eigen::ArrayXd::Zero(b.size()));
        for (const auto& [explained, log_odds] : shares) {
            for (const Prior& prior : priors) {
                const double t = explained * c / prior.explained;
                const Eigen::ArrayXd variance = t * prior.spread + noise_of_b(explained);
                average.add(log_weight + log_odds + prior.log_chance + log_likelihood(b, variance),
                            t * prior.h * a * b / variance);
            }
        }
    }
    // x^T w - (m + e)^T w errs by w^T A w and v |w|^2.
    const Eigen::ArrayXd w = average.mean() * a / (a + regression.mean_noise_variance);
    return eigen.vectors * no_longer_than_seen(w, a, eigen.values.array(), s).matrix();
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
