#include "regression/regression_prior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/noise_spectrum.hpp"
#include "estimate/shrinkage.hpp"
#include "estimate/truncated_normal.hpp"

namespace dpcov::detail {
namespace {

// How the variance of w along an axis may go with that of the features there: as its -power, where
// noise does not hide it. With 0 directions matter alike for w, with 1 for y, with 2 those matter
// most in which the features vary least.
struct Power {
    double power;
    double chance;
};
constexpr std::array<Power, 3> powers = {{{0.0, 0.5}, {1.0, 0.25}, {2.0, 0.25}}};

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

// x - (1 - factor) u u^T x; x itself where there is no u.
Eigen::MatrixXd scaled_along(Eigen::MatrixXd x, const Eigen::VectorXd& u, double factor) {
    if (u.size() > 0) {
        x -= (1.0 - factor) * u * (u.transpose() * x);
    }
    return x;
}

// Of A's noise N, the variance of (N w)_i over t, where w_i has the variance t h_i. Off the
// diagonal A_ij has the variance s^2 / 2 of its noise, unless that is more than the chance that
// rows in all directions would give it: a_i a_j / p. Precisions add.
Eigen::ArrayXd noise_of_features(const Eigen::ArrayXd& a, const Eigen::ArrayXd& prior_variances,
                                 double s) {
    const auto p = static_cast<double>(a.size());
    const double precision = 2.0 / (s * s);
    Eigen::ArrayXd noise(a.size());
    for (Eigen::Index i = 0; i < a.size(); ++i) {
        const Eigen::ArrayXd variances = (precision + p / (a[i] * a)).inverse() * prior_variances;
        noise[i] =
            std::fmin(s * s, a[i] * a[i]) * prior_variances[i] + variances.sum() - variances[i];
    }
    return noise;
}

}  // namespace

EvenEquations even_equations(const NoisyRegression& regression) {
    const Eigen::VectorXd& u = regression.noisier_direction;
    const double f = regression.evening_factor;
    EigenDecomposition eigen = eigen_decomposition(
        scaled_along(scaled_along(regression.features, u, f).transpose(), u, f));
    EvenEquations equations;
    equations.deviation = std::sqrt(regression.noise_variance);
    equations.eigenvalues = expected_eigenvalues(eigen.values, equations.deviation);
    equations.noisy_eigenvalues = eigen.values.array();
    equations.basis = std::move(eigen.vectors);
    equations.cross = equations.basis.transpose() * scaled_along(regression.cross, u, f);
    equations.cross_noise_variance = regression.cross_noise_variance;
    if (u.size() > 0) {
        equations.noisier_direction = equations.basis.transpose() * u;
        equations.evening_factor = f;
        equations.more_noise_along =
            f * f * regression.cross_noise_along - regression.cross_noise_variance;
    }
    if (regression.means.size() > 0) {
        equations.means =
            equations.basis.transpose() * regression.means.head(regression.cross.size());
    }
    equations.feature_variances = equations.eigenvalues;
    if (u.size() > 0) {
        EigenDecomposition features = eigen_decomposition(equations.unevened(
            equations.unevened(equations.eigenvalues.matrix().asDiagonal()).transpose()));
        equations.feature_variances = features.values.array().max(0.0);
        equations.feature_axes = std::move(features.vectors);
    }
    return equations;
}

Eigen::MatrixXd EvenEquations::unevened(Eigen::MatrixXd columns) const {
    return scaled_along(std::move(columns), noisier_direction, 1.0 / evening_factor);
}

Eigen::VectorXd RegressionPrior::solved(const Eigen::VectorXd& x) const {
    return solution.size() > 0 ? Eigen::VectorXd(solution * x)
                               : Eigen::VectorXd(diagonal_of_solution.cwiseProduct(x));
}

Eigen::VectorXd RegressionPrior::transposed_solved(const Eigen::VectorXd& x) const {
    return solution.size() > 0 ? Eigen::VectorXd(solution.transpose() * x)
                               : Eigen::VectorXd(diagonal_of_solution.cwiseProduct(x));
}

namespace {

// Over a power of the greatest of them, so that units do not matter.
Eigen::ArrayXd prior_variances(const EvenEquations& even, const Power& power) {
    const auto p = static_cast<double>(even.eigenvalues.size());
    const Eigen::ArrayXd variances = even.feature_variances + even.deviation * std::sqrt(p);
    return (variances / variances.maxCoeff()).pow(-power.power);
}

// Where noise is even in the first place, all is diagonal.
RegressionPrior diagonal_prior(const EvenEquations& even, const Power& power) {
    const Eigen::ArrayXd& a = even.eigenvalues;
    const Eigen::ArrayXd h = prior_variances(even, power);
    RegressionPrior prior{.log_chance = std::log(power.chance),
                          .prior_variances = h,
                          .equations = even.cross.array(),
                          .signal = a * a * h,
                          .noise_of_features = noise_of_features(a, h, even.deviation),
                          .sampling = a,
                          .noisier_direction = {},
                          .diagonal_of_solution = (h * a).matrix()};
    if (even.means.size() > 0) {
        prior.prior_of_means = h.matrix().cwiseProduct(even.means);
    }
    return prior;
}

// Else S C = M = diag(a) S^-1, for S C S = diag(a); U are the left singular vectors of M T^(1/2).
// The noise of S A S meets S^-1 w.
RegressionPrior uneven_prior(const EvenEquations& even, const Power& power) {
    const Eigen::ArrayXd& a = even.eigenvalues;
    const Eigen::ArrayXd h = prior_variances(even, power);
    const Eigen::MatrixXd of_w =
        even.feature_axes * h.matrix().asDiagonal() * even.feature_axes.transpose();  // T
    const Eigen::MatrixXd m = even.unevened(a.matrix().asDiagonal()).transpose();
    const Eigen::MatrixXd with_equations = of_w * m.transpose();
    const EigenDecomposition eigen = eigen_decomposition(m * with_equations);
    const Eigen::MatrixXd squares = eigen.vectors.cwiseAbs2().transpose();
    const Eigen::ArrayXd of_unevened =
        even.unevened(even.unevened(of_w).transpose()).diagonal().array();
    RegressionPrior prior{
        .log_chance = std::log(power.chance),
        .prior_variances = h,
        .equations = (eigen.vectors.transpose() * even.cross).array(),
        .signal = eigen.values.array().max(0.0),
        .noise_of_features =
            (squares * noise_of_features(a, of_unevened, even.deviation).matrix()).array(),
        .sampling = (squares * a.matrix()).array(),
        .noisier_direction = (eigen.vectors.transpose() * even.noisier_direction).array(),
        .diagonal_of_solution = {},
        .solution = with_equations * eigen.vectors};
    if (even.means.size() > 0) {
        prior.prior_of_means = of_w * even.means;
    }
    return prior;
}

}  // namespace

std::vector<RegressionPrior> regression_priors(const EvenEquations& even) {
    std::vector<RegressionPrior> priors;
    priors.reserve(powers.size());
    for (const Power& power : powers) {
        priors.push_back(even.feature_axes.size() == 0 ? diagonal_prior(even, power)
                                                       : uneven_prior(even, power));
    }
    return priors;
}

}  // namespace dpcov::detail
