#include "mechanism/stratified.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "arithmetic/eigen_decomposition.hpp"
#include "arithmetic/packed_symmetric.hpp"
#include "estimate/clamp.hpp"
#include "estimate/detection.hpp"
#include "estimate/simplex.hpp"
#include "estimate/strata.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/sensitivity.hpp"
#include "random/symmetric_noise.hpp"
#include "random/wishart_noise.hpp"

namespace dpcov::detail {
namespace {

NoiseShape shape_of(Rho /*budget*/) {
    return NoiseShape::gaussian;
}
NoiseShape shape_of(Epsilon /*budget*/) {
    return NoiseShape::wishart;
}

PackedGram stratum_gram(const SecretMoment& secret, int k) {
    const std::size_t d = secret.layout().columns;
    PackedGram entries = secret.stratum(k).gram;
    entries.resize(packed_size(d));
    return entries;
}

// What an integer of stratum k's Gram stands for, in units of the squared norm bound.
double stratum_unit(const CountedMoment& moment, int k) {
    return std::ldexp(1.0, -2 * (k + radius_bits)) / moment.rows.value;
}

// Density exp(-a tr P) with a = epsilon / sensitivity, and c = 1 / (2 a).
double wishart_scale(const CountedMoment& moment, Epsilon epsilon) {
    return 0.5 * laplace_noise_scale(strata_nuclear_sensitivity(moment.neighbours), epsilon);
}

// The noise's deviation along the diagonal, in units of stratum k's integers.
double noise_deviation(const CountedMoment& moment, Rho rho) {
    return gaussian_deviation(strata_sensitivity(moment.neighbours), rho);
}
double noise_deviation(const CountedMoment& moment, Epsilon epsilon) {
    const auto d = static_cast<double>(moment.secret.layout().columns);
    return 2.0 * wishart_scale(moment, epsilon) * std::sqrt(d + 1.0);
}

// Whether no stratum could be detected, whatever its rows. The same for every k, and public.
template <class Share>
bool is_provably_undetectable(const CountedMoment& moment, Share budget) {
    const auto d = static_cast<Eigen::Index>(moment.secret.layout().columns);
    const double s = noise_deviation(moment, budget) * stratum_unit(moment, 0);
    return is_provably_undetectable(d, s, Tuning{});
}

template <class Share>
CovarianceEstimate stratified_estimate(const CountedMoment& moment, Share budget,
                                       RandomSource& random) {
    const MomentLayout& layout = moment.secret.layout();
    const auto d = static_cast<Eigen::Index>(layout.columns);
    constexpr int finest = SecretMoment::strata - 1;
    CovarianceEstimate estimate;
    if (is_provably_undetectable(moment, budget)) {
        estimate.covariance = Eigen::MatrixXd::Zero(d, d);
        return estimate;
    }
    const StrataModel model{.rows = moment.rows.value, .noise = shape_of(budget)};
    Belief belief = prior_belief(d);
    for (int k = finest; k >= 0; --k) {
        NoisyMatrix noisy = noisy_stratum(moment, k, budget, random);
        estimate.noisy_trace += noisy.matrix.trace();
        if (k == finest) {
            estimate.grid = noisy.grid;  // the others are multiples of it
        }
        belief = with_stratum(std::move(belief),
                              {.matrix = std::move(noisy.matrix),
                               .noise_variance = noisy.noise_scale * noisy.noise_scale,
                               .radius = std::ldexp(1.0, -k)},
                              model);
    }
    const EigenDecomposition eigen = eigen_decomposition(belief.estimate);
    const double squared_bound = layout.norm_bound * layout.norm_bound;
    estimate.covariance =
        squared_bound * assemble(eigen.vectors, project_onto_simplex(eigen.values, 1.0).values);
    estimate.noisy_trace *= squared_bound;
    estimate.grid *= squared_bound;
    if (const std::optional<double> risk = estimated_squared_error(belief)) {
        estimate.estimated_squared_error = squared_bound * squared_bound * *risk;
    }
    return estimate;
}

template <class Share>
Release stratified_within(const SecretMoment& secret, Share budget, const ReleaseOptions& options,
                          RandomSource& random) {
    BudgetMeter<Share> meter(budget);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    if (options.neighbours == Neighbours::replace && is_provably_undetectable(moment, rest)) {
        // Public facts say so: it costs nothing.
        CovarianceEstimate nothing;
        const auto d = static_cast<Eigen::Index>(secret.layout().columns);
        nothing.covariance = Eigen::MatrixXd::Zero(d, d);
        return make_release(moment, options, meter, std::move(nothing));
    }
    const std::string noise =
        shape_of(budget) == NoiseShape::gaussian ? "Gaussian noise" : "Wishart noise";
    const Share share = meter.spend(
        "strata", rest,
        noise + " on the covariance matrix of every norm stratum; one row is in one stratum");
    return make_release(moment, options, meter, stratified_estimate(moment, share, random));
}

}  // namespace

NoisyMatrix noisy_stratum(const CountedMoment& moment, int k, Rho rho, RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    PackedGram entries = stratum_gram(moment.secret, k);
    const double deviation = noise_deviation(moment, rho);
    const SymmetricNoise noise = symmetric_noise(NoiseLaw::isotropic, deviation);
    add_symmetric_gaussian(random, entries, noise);
    const double unit = stratum_unit(moment, k);
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = deviation * unit,
            .grid = std::ldexp(unit, noise.diagonal.grid_log2)};
}

NoisyMatrix noisy_stratum(const CountedMoment& moment, int k, Epsilon epsilon,
                          RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    PackedGram entries = stratum_gram(moment.secret, k);
    const WishartNoise noise = wishart_noise(wishart_scale(moment, epsilon), d);
    add_wishart(random, entries, noise);
    const double unit = stratum_unit(moment, k);
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = noise_deviation(moment, epsilon) * unit,
            .grid = std::ldexp(unit, noise.grid_log2)};
}

Release stratified_cov(const SecretMoment& secret, const Budget& budget,
                       const ReleaseOptions& options, RandomSource& random) {
    return std::visit([&](auto share) { return stratified_within(secret, share, options, random); },
                      budget);
}

}  // namespace dpcov::detail
