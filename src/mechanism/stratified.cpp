#include "mechanism/stratified.hpp"

#include <cmath>
#include <string>
#include <variant>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/sensitivity.hpp"
#include "random/symmetric_noise.hpp"
#include "random/wishart_noise.hpp"
#include "spectral/clamp.hpp"
#include "spectral/simplex.hpp"
#include "spectral/strata.hpp"

namespace dpcov::detail {
namespace {

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
double stratum_unit(const CountedMoment& moment, int k) {
    return std::ldexp(1.0, -2 * (k + SecondMoment::radius_bits)) / moment.rows.value;
}

template <class Share>
CovarianceEstimate stratified_estimate(const CountedMoment& moment, Share budget,
                                       RandomSource& random) {
    const MomentLayout& layout = moment.secret.layout();
    const auto d = static_cast<Eigen::Index>(layout.dimension);
    constexpr int finest = SecondMoment::strata - 1;
    StrataEstimator strata(d, moment.rows.value, shape_of(budget));
    CovarianceEstimate estimate;
    for (int k = finest; k >= 0; --k) {
        const NoisyMatrix noisy = noisy_stratum(moment, k, budget, random);
        estimate.noisy_trace += noisy.matrix.trace();
        if (k == finest) {
            estimate.grid = noisy.grid;  // the others are multiples of it
        }
        strata.add(noisy.matrix, noisy.noise_scale, std::ldexp(1.0, -k));
    }
    const EigenDecomposition eigen = eigen_decomposition(strata.estimate());
    const double squared_bound = layout.norm_bound * layout.norm_bound;
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
    BudgetMeter<Share> meter(budget);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const std::string noise =
        shape_of(budget) == NoiseShape::gaussian ? "Gaussian noise" : "Wishart noise";
    const Share share = meter.spend(
        "strata", rest,
        noise + " on the covariance matrix of every norm stratum; one row is in one stratum");
    return make_release(moment, options, random, meter, stratified_estimate(moment, share, random));
}

}  // namespace

NoisyMatrix noisy_stratum(const CountedMoment& moment, int k, Rho rho, RandomSource& random) {
    const std::size_t d = moment.secret.layout().dimension;
    PackedGram entries = stratum_gram(moment.secret, k);
    const double deviation = gaussian_deviation(strata_sensitivity(moment.neighbours), rho);
    const SymmetricNoise noise = symmetric_noise(NoiseLaw::isotropic, deviation);
    add_symmetric_gaussian(random, entries, noise);
    const double unit = stratum_unit(moment, k);
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = deviation * unit,
            .grid = std::ldexp(unit, noise.diagonal.grid_log2)};
}

NoisyMatrix noisy_stratum(const CountedMoment& moment, int k, Epsilon epsilon,
                          RandomSource& random) {
    const std::size_t d = moment.secret.layout().dimension;
    PackedGram entries = stratum_gram(moment.secret, k);
    // Density exp(-a tr P) with a = epsilon / sensitivity, and c = 1 / (2 a).
    const double scale =
        0.5 * laplace_noise_scale(strata_nuclear_sensitivity(moment.neighbours), epsilon);
    const WishartNoise noise = wishart_noise(scale, d);
    add_wishart(random, entries, noise);
    const double unit = stratum_unit(moment, k);
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
