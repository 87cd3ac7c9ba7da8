#include "mechanism/stratified.hpp"

#include <cmath>
#include <string>
#include <variant>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/clipped_gram.hpp"
#include "random/symmetric_noise.hpp"
#include "random/wishart_noise.hpp"
#include "spectral/clamp.hpp"
#include "spectral/simplex.hpp"
#include "spectral/strata.hpp"

namespace dpcov::detail {
namespace {

// sqrt(2) times the squared norm 2^40 that placement allows a row, rounded up: a Frobenius norm.
constexpr double stratum_sensitivity = 0x1.6a09e667f3bcdp40;

// Twice 2^40: nuclear norms of a row that goes and of one that comes.
constexpr double stratum_nuclear_sensitivity = 0x1p41;

NoiseShape shape_of(Rho /*budget*/) {
    return NoiseShape::gaussian;
}
NoiseShape shape_of(Epsilon /*budget*/) {
    return NoiseShape::wishart;
}

PackedGram stratum_gram(const SecondMoment& secret, int k) {
    const std::size_t d = secret.layout().dimension;
    PackedGram entries = secret.stratum(k).gram;
    entries.resize(d * (d + 1) / 2);
    return entries;
}

// What an integer of stratum k's Gram stands for, in units of the squared norm bound.
double stratum_unit(const SecondMoment& secret, int k) {
    return std::ldexp(1.0, -2 * (k + SecondMoment::radius_bits)) /
           static_cast<double>(secret.rows());
}

template <class Share>
CovarianceEstimate stratified_estimate(const SecondMoment& secret, Share budget,
                                       RandomSource& random) {
    const auto d = static_cast<Eigen::Index>(secret.layout().dimension);
    constexpr int finest = SecondMoment::strata - 1;
    StrataEstimator strata(d, static_cast<double>(secret.rows()), shape_of(budget));
    CovarianceEstimate estimate;
    for (int k = finest; k >= 0; --k) {
        const NoisyMatrix noisy = noisy_stratum(secret, k, budget, random);
        estimate.noisy_trace += noisy.matrix.trace();
        if (k == finest) {
            estimate.grid = noisy.grid;  // the others are multiples of it
        }
        strata.add(noisy.matrix, noisy.noise_scale, std::ldexp(1.0, -k));
    }
    const EigenDecomposition eigen = eigen_decomposition(strata.estimate());
    const double squared_bound = secret.layout().norm_bound * secret.layout().norm_bound;
    estimate.covariance =
        squared_bound * assemble(eigen.vectors, project_onto_simplex(eigen.values, 1.0).values);
    estimate.noisy_trace *= squared_bound;
    estimate.grid *= squared_bound;
    estimate.estimated_squared_error = squared_bound * squared_bound * strata.risk();
    return estimate;
}

template <class Share>
Release stratified_within(const SecondMoment& secret, Share budget, const MechanismOptions& options,
                          RandomSource& random) {
    check_replace_neighbours(options, secret, "stratified");
    BudgetMeter<Share> meter(budget);
    const std::string noise =
        shape_of(budget) == NoiseShape::gaussian ? "Gaussian noise" : "Wishart noise";
    const Share share = meter.spend(
        "strata", budget,
        noise + " on the covariance matrix of every norm stratum; one row is in one stratum");
    return make_release(secret, options, random, meter, stratified_estimate(secret, share, random));
}

}  // namespace

NoisyMatrix noisy_stratum(const SecondMoment& secret, int k, Rho rho, RandomSource& random) {
    const std::size_t d = secret.layout().dimension;
    PackedGram entries = stratum_gram(secret, k);
    const double deviation = gaussian_deviation(stratum_sensitivity, rho);
    const SymmetricNoise noise = symmetric_noise(NoiseLaw::isotropic, deviation);
    add_symmetric_gaussian(random, entries, noise);
    const double unit = stratum_unit(secret, k);
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = deviation * unit,
            .grid = std::ldexp(unit, noise.diagonal.grid_log2)};
}

NoisyMatrix noisy_stratum(const SecondMoment& secret, int k, Epsilon epsilon,
                          RandomSource& random) {
    const std::size_t d = secret.layout().dimension;
    PackedGram entries = stratum_gram(secret, k);
    // Density exp(-a tr P) with a = epsilon / sensitivity, and c = 1 / (2 a).
    const double scale = 0.5 * laplace_noise_scale(stratum_nuclear_sensitivity, epsilon);
    const WishartNoise noise = wishart_noise(scale, d);
    add_wishart(random, entries, noise);
    const double unit = stratum_unit(secret, k);
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = 2.0 * scale * std::sqrt(static_cast<double>(d + 1)) * unit,
            .grid = std::ldexp(unit, noise.grid_log2)};
}

Release stratified_cov(const SecondMoment& secret, const Budget& budget,
                       const MechanismOptions& options, RandomSource& random) {
    return std::visit([&](auto share) { return stratified_within(secret, share, options, random); },
                      budget);
}

}  // namespace dpcov::detail
