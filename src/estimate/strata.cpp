#include "estimate/strata.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "arithmetic/matrix_product.hpp"
#include "estimate/aggregate.hpp"
#include "estimate/shared_basis.hpp"
#include "estimate/shrinkage.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Standard deviations that the trace has to be above zero for a stratum to be looked at by itself
// beside others, and while there is nothing yet: what is found first teaches all coarser strata,
// whose noise is greater.
constexpr double notable_trace = 4.0;
constexpr double first_notable_trace = 4.5;

// Or its greatest eigenvalue, less what finer strata explain of it, above the edge of the noise's
// spectrum, in units of what noise alone deviates by there: Tracy and Widom's variable is above
// this with probability 10^-5. Few long rows have little trace, but show this way.
constexpr double notable_eigenvalue = 5.5;

// And below this, where there is nothing to compare it with, it is not even poured into the next,
// whose noise it would add to.
constexpr double worth_keeping = 1.0;

// The chance that a stratum too faint to be looked at holds anything if the next finer one does. If
// that does not, neither does this: rows reach up to some norm, and a loose bound leaves all strata
// above it empty.
constexpr double persistence = 0.99;

// Degrees of freedom that every candidate costs beyond its own, for being one of many.
constexpr double price = 3.0;

// Degrees of freedom that the weights of a taught mixture cost, beyond the multiple's own.
constexpr double weights_error = 0.5;

// What a stratum may hold beyond noise and the prior's multiple and yet pass for rows of the
// prior's shape: so many times the sampling error of as many rows drawn alike, and so many
// deviations of the squared norm.
constexpr double times_sampling = 4.0;
constexpr double doubt = 2.0;

// How far from Stein's estimate the model's may be, in those deviations; and from where on below
// it the model is taken to be wrong.
constexpr double reach = 2.0;
constexpr double refuted = 4.0;

double degrees_of_freedom(Index d) {
    return 0.5 * static_cast<double>(d) * static_cast<double>(d + 1);
}

// Stein's estimate for g(Y) with g(Y) - Y = `change`, noise of that variance.
double stein_risk_of(const MatrixXd& change, double divergence, double variance) {
    return change.squaredNorm() + variance * (2.0 * divergence - degrees_of_freedom(change.rows()));
}

// The deviation, over s^2, of the squared norm of the noise and of Stein's estimate with it: of
// Gaussian noise; and 1.5 times that (1.4 to 1.7 from d = 3 on) of Wishart noise.
double square_deviation(Index d, NoiseShape shape) {
    return (shape == NoiseShape::gaussian ? 1.0 : 1.5) * std::sqrt(2.0 * degrees_of_freedom(d));
}

// A best estimate's risk is s^2 div as well as Stein's estimate. That deviates less, but counts
// what is left of noise as if it were kept for a reason. Where div is far above this many
// deviations of Stein's, that is the one to be heard.
double caution(NoiseShape shape) {
    return shape == NoiseShape::gaussian ? 3.0 : 0.5;
}

// The trace and the greatest eigenvalue of Wishart noise have longer tails than Gaussian ones, at
// d = 1 those of Laplace noise. With this much more the gates are passed with probabilities like
// those under Gaussian noise for all d.
double longer_tails(Index d, NoiseShape shape) {
    return shape == NoiseShape::gaussian ? 1.0 : std::sqrt(1.0 + 3.0 / degrees_of_freedom(d));
}

// Whether the greatest eigenvalue is above what noise makes.
bool stands_out(const MatrixXd& unexplained, const NoiseSpectrum& noise, NoiseShape shape) {
    const double highest = longer_tails(unexplained.rows(), shape) *
                           (noise.edge() + notable_eigenvalue * noise.edge_scale());
    return greatest_eigenvalue_found(unexplained) > highest;
}

// V^T A V, exactly symmetric.
MatrixXd rotated(const MatrixXd& v, const MatrixXd& a) {
    const MatrixXd turned = product(v.transpose(), product(a, v));
    return 0.5 * (turned + turned.transpose());
}

void add_spectral_candidates(std::vector<Candidate>& candidates, const EigenDecomposition& eigen,
                             NoiseShape shape, const NoiseSpectrum& noise) {
    const VectorXd& noisy = eigen.values;
    const Index d = noisy.size();
    const double s = noise.s();
    // The Hilbert transform is estimated best at widths of about this order (Ledoit, Wolf 2020).
    const double width =
        s * std::sqrt(2.0 * static_cast<double>(d)) / std::cbrt(static_cast<double>(d));
    const VectorXd excess =
        shape == NoiseShape::gaussian ? VectorXd::Zero(d) : excess_pull(noisy, noise, width);
    const auto add = [&](const Shrinkage& shrinkage) {
        candidates.push_back(
            {{}, shrinkage.values, shrinkage.divergence + shrinkage.values.dot(excess) / (s * s)});
    };
    add(positive_part(noisy));
    add(spiked_shrinkage(noisy, noise));
    std::vector<Index> bulks = {1};
    for (const Index spikes : {0, 1, 2, 4, 8, 16}) {
        if (spikes < d) {
            bulks.push_back(d - spikes);
        }
    }
    for (const double factor : {0.5, 2.0, 1.0}) {
        const std::vector<Index> wanted = factor == 1.0 ? bulks : std::vector<Index>{1};
        for (const Shrinkage& shrinkage :
             rotation_invariant_shrinkage(noisy, noise, factor * width, wanted)) {
            add(shrinkage);
        }
    }
}

// What Stein's estimate charges for each; and for a share of the prior, whose error is in the
// estimate already: the expected product of the two errors is `common`.
VectorXd penalties_of(const std::vector<Candidate>& candidates, double variance, double common) {
    VectorXd penalties(static_cast<Index>(candidates.size()));
    for (Index m = 0; m < penalties.size(); ++m) {
        const Candidate& candidate = candidates[static_cast<std::size_t>(m)];
        penalties[m] = variance * (candidate.divergence + price) + candidate.prior_share * common;
    }
    return penalties;
}

// Of theta, seen as x = theta + noise of deviation s: zero, or, with the chance `presence` < 1, of
// the density exp(-theta / scale) / scale over theta > 0.
StrataEstimator::Posterior behind_noise(double x, double s, double presence, double scale) {
    const double shifted = x - s * s / scale;  // theta > 0 given x: N(shifted, s^2) cut off at zero
    const double t = shifted / s;
    constexpr double far = -6.0;
    // phi(t) / Phi(t); where Phi(t) is tiny, to 6 / t^2 of what it is above -t.
    const double hazard = t < far ? -t - 1.0 / t
                                  : std::exp(-0.5 * t * t) / std::sqrt(2.0 * std::numbers::pi) /
                                        (0.5 * std::erfc(-t / std::numbers::sqrt2));
    const double mean = t < far ? -s / t : shifted + s * hazard;
    const double square = t < far ? 2.0 * mean * mean : s * s + shifted * mean;
    // The likelihood of some theta > 0 over that of zero is (s / scale) Phi(t) / phi(t).
    const double odds = presence / (1.0 - presence) * s / (scale * hazard);
    const double chance = std::isinf(odds) ? 1.0 : odds / (1.0 + odds);
    const double guess = chance * mean;
    return {.presence = chance,
            .mean = guess,
            .variance = std::fmax(0.0, chance * square - guess * guess)};
}

}  // namespace

StrataEstimator::StrataEstimator(Index d, double rows, NoiseShape shape)
    : rows_(rows),
      shape_(shape),
      estimate_(MatrixXd::Zero(d, d)),
      pooled_(MatrixXd::Zero(d, d)),
      prior_(MatrixXd::Zero(d, d)) {}

void StrataEstimator::add(const MatrixXd& noisy, double s, double radius) {
    const Index d = noisy.rows();
    pooled_ += noisy;
    pooled_variance_ += s * s;
    const double scale = std::sqrt(pooled_variance_);
    const bool taught = !prior_.isZero(0.0);
    const NoiseSpectrum noise(shape_, d, scale);
    const Posterior along = taught ? along_prior(scale, radius) : Posterior{};
    MatrixXd unexplained = pooled_;
    if (taught) {
        unexplained -= along.mean / prior_.norm() * prior_;
    }
    const bool shows_trace = trace_shows();
    if (!shows_trace && !stands_out(unexplained, noise, shape_)) {
        if (taught) {
            add_faint(along, unexplained, scale, radius);
        }
        if (taught || trace_deviations() < worth_keeping) {
            forget_pooled();
        }
        return;
    }

    std::optional<Part> part;
    if (taught && shows_trace && prior_explains(radius)) {
        part = as_taught(scale, radius);
    }
    if (!part) {
        part = by_itself(pooled_, noise, along_candidates());
    }
    if (!part) {
        return;
    }
    last_faint_.reset();
    estimate_ += part->matrix;
    found_ = estimate_.norm();
    found_up_to_ = radius;
    presence_ = persistence;
    // For the prior each stratum weighs as much as its shape is worth: the inverse of its squared
    // error, by its noise and by the sampling of its rows. One without a trace teaches nothing.
    const double trace = std::max(0.0, part->matrix.trace());
    const double shape_error = part->fresh_error + radius * radius * trace / rows_;
    const double weight = trace / shape_error;
    prior_ += weight * part->matrix;
    expected_.add(part->fresh_error, part->prior_share, weight);
    forget_pooled();
}

double StrataEstimator::prior_multiple() const {
    return std::max(0.0, pooled_.cwiseProduct(prior_).sum() / prior_.squaredNorm());
}

bool StrataEstimator::prior_explains(double radius) const {
    const Index d = prior_.rows();
    const double multiple = prior_multiple();
    const double hidden =
        (pooled_ - multiple * prior_).squaredNorm() - pooled_variance_ * degrees_of_freedom(d);
    // Rows of squared norms t in all, each at most r^2, and of second moment A / t: |A - E A|^2 is
    // t r^2 (1 - |A|^2 / t^2) at most on average.
    const double trace = prior_.trace();
    const double sampling = multiple * trace * radius * radius / rows_ *
                            std::max(0.0, 1.0 - prior_.squaredNorm() / (trace * trace));
    return hidden <=
           times_sampling * sampling + doubt * pooled_variance_ * square_deviation(d, shape_);
}

std::optional<StrataEstimator::Part> StrataEstimator::as_taught(double scale, double radius) const {
    const EigenDecomposition shape = eigen_decomposition(prior_);
    const MatrixXd turned = rotated(shape.vectors, pooled_);
    const MatrixXd sampling = sampling_ratios(turned, shape.values, radius, rows_, scale);
    // Eight times, for rows that differ more than directions drawn alike.
    const std::vector<Candidate> candidates =
        shared_basis_candidates(turned, shape.values, sampling, {1.0, 8.0});
    const Mixture mixture = best_mixture(
        candidates, turned, {}, penalties_of(candidates, pooled_variance_, expected_.common));
    if (mixture.weights.isZero(0.0)) {
        return std::nullopt;
    }
    // Stein's estimate is unbiased, but off by s^2 d; the model's is not, as far as it holds:
    // within reach of Stein's. The squares of Wishart noise go together, and would pass for
    // strengths far up.
    const bool gaussian = shape_ == NoiseShape::gaussian;
    const double model =
        shared_basis_risk(turned, shape.values, scale, sampling, gaussian ? 10 : 0) +
        weights_error * pooled_variance_;
    const double stein = fresh_stein(mixture, turned, pooled_variance_);
    const double deviation = pooled_variance_ * square_deviation(turned.rows(), shape_);
    if (stein > model + refuted * deviation) {
        return std::nullopt;
    }
    const double fresh_error = std::max(
        pooled_variance_, std::clamp(model, stein - reach * deviation, stein + reach * deviation));
    return Part{rotated(shape.vectors.transpose(), mixture.matrix), fresh_error,
                mixture.prior_share};
}

std::vector<Candidate> StrataEstimator::along_candidates() const {
    if (prior_.isZero(0.0)) {
        return {};
    }
    const double multiple = prior_multiple();
    return {{multiple * prior_, {}, 1.0, multiple}};
}

std::optional<StrataEstimator::Part> StrataEstimator::by_itself(
    const MatrixXd& target, const NoiseSpectrum& noise, std::vector<Candidate> candidates) const {
    const double variance = noise.s() * noise.s();
    const EigenDecomposition own = eigen_decomposition(target);
    add_spectral_candidates(candidates, own, shape_, noise);
    const Mixture mixture =
        best_mixture(candidates, target, own, penalties_of(candidates, variance, expected_.common));
    if (mixture.weights.isZero(0.0)) {
        return std::nullopt;
    }
    const double freedom = std::max(0.0, mixture.divergence);
    const double trust =
        freedom / (freedom + caution(shape_) * square_deviation(target.rows(), shape_));
    const double stein = fresh_stein(mixture, target, variance);
    const double fresh_error = std::max(variance, std::lerp(variance * freedom, stein, trust));
    return Part{mixture.matrix, fresh_error, mixture.prior_share};
}

std::optional<StrataEstimator::Part> StrataEstimator::with_last_faint(const MatrixXd& unexplained,
                                                                      double scale) {
    const std::optional<Faint> last = std::exchange(last_faint_, Faint{unexplained, scale});
    if (!last) {
        return std::nullopt;
    }
    // The sum of two Wishart matrices has shorter tails than one: the gate is no lower for it.
    const NoiseSpectrum noise(shape_, unexplained.rows(), 1.0);
    const MatrixXd both =
        (unexplained / scale + last->unexplained / last->scale) / std::numbers::sqrt2;
    if (!stands_out(both, noise, shape_)) {
        return std::nullopt;
    }
    last_faint_.reset();
    std::optional<Part> common = by_itself(both, noise, {});
    if (common) {
        const double sum = (scale + last->scale) / std::numbers::sqrt2;
        common->matrix *= sum;
        common->fresh_error *= sum * sum;
    }
    return common;
}

double StrataEstimator::fresh_stein(const Mixture& mixture, const MatrixXd& target,
                                    double variance) const {
    return stein_risk_of(mixture.matrix - target, mixture.divergence, variance) -
           std::pow(mixture.prior_share, 2) * expected_.prior;
}

double StrataEstimator::trace_deviations() const {
    return pooled_.trace() / std::sqrt(pooled_variance_ * static_cast<double>(pooled_.rows()));
}

bool StrataEstimator::trace_shows() const {
    const double enough = prior_.isZero(0.0) ? first_notable_trace : notable_trace;
    return trace_deviations() >= longer_tails(pooled_.rows(), shape_) * enough;
}

StrataEstimator::Posterior StrataEstimator::along_prior(double scale, double radius) const {
    // The stratum may hold as many rows as what was found, of its own norm.
    const double seen = pooled_.cwiseProduct(prior_).sum() / prior_.norm();
    return behind_noise(seen, scale, presence_, found_ * std::pow(radius / found_up_to_, 2));
}

void StrataEstimator::add_faint(const Posterior& along, const MatrixXd& unexplained, double scale,
                                double radius) {
    const std::optional<Part> common = with_last_faint(unexplained, scale);
    add_along(along, scale, radius);
    if (common) {
        estimate_ += common->matrix;
        expected_.add(common->fresh_error, 0.0, 0.0);
    }
}

void StrataEstimator::add_along(const Posterior& along, double scale, double radius) {
    // Above zero, or an infinite likelihood would make it no number.
    presence_ = std::fmax(1e-200, persistence * along.presence);
    // Its noise is more than all there is so far: if it holds nothing, as all strata above a loose
    // bound do, what would be believed of it would outweigh what is known.
    if (scale > estimate_.norm()) {
        return;
    }
    const double share = along.mean / prior_.norm();
    estimate_ += share * prior_;
    // Which rows they are is not seen either: their sampling error stays whole.
    const double trace = std::max(0.0, share * prior_.trace());
    const double unexplained = trace > 0.0 ? trace - along.mean * along.mean / trace : 0.0;
    expected_.add(along.variance + std::max(0.0, unexplained) * radius * radius / rows_, share,
                  0.0);
}

void StrataEstimator::forget_pooled() {
    pooled_.setZero();
    pooled_variance_ = 0.0;
}

void StrataEstimator::ExpectedError::add(double fresh, double prior_share, double weight) {
    // The new part errs by a fresh error plus prior_share times the prior's.
    estimate += fresh + prior_share * (prior_share * prior + 2.0 * common);
    const double kept = 1.0 + weight * prior_share;
    common = kept * (common + prior_share * prior) + weight * fresh;
    prior = kept * kept * prior + weight * weight * fresh;
}

std::optional<double> StrataEstimator::risk() const {
    if (estimate_.isZero(0.0)) {
        return std::nullopt;
    }
    return expected_.estimate;
}

}  // namespace dpcov::detail
