#include "mechanism/wishart_cov.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/sensitivity.hpp"
#include "random/wishart_noise.hpp"

namespace dpcov::detail {

NoisyMatrix wishart_covariance(const CountedMoment& moment, int clip_exponent, Epsilon epsilon,
                               RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    PackedGram entries = clipped_gram(moment.secret, clip_exponent);
    // Density exp(-a tr P) with a = epsilon / sensitivity, and c = 1 / (2 a).
    const double scale =
        0.5 * laplace_noise_scale(gram_nuclear_sensitivity(moment.neighbours, d), epsilon);
    const WishartNoise noise = wishart_noise(scale, d);
    add_wishart(random, entries, noise);

    const double unit = lattice_unit(moment.secret, clip_exponent) / moment.rows.value;
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = scale * unit,
            .grid = std::ldexp(unit, noise.grid_log2)};
}

CovarianceEstimate wishart_estimate(const CountedMoment& moment, int clip_exponent, Epsilon epsilon,
                                    Variant variant, double trace_bound, RandomSource& random) {
    NoisyMatrix noisy = wishart_covariance(moment, clip_exponent, epsilon, random);
    const auto d = static_cast<double>(noisy.matrix.rows());
    const double c = noisy.noise_scale;
    const double tau = std::ldexp(moment.secret.layout().norm_bound, -clip_exponent);
    Statistics statistics = statistics_of(moment, NoiseShape::wishart);
    statistics.complete = true;
    statistics.strata.push_back({.radius = tau,
                                 .second_moment = noisy.matrix,
                                 .noise_scale = 2.0 * c * std::sqrt(d + 1.0)});
    CovarianceEstimate estimate = feasible_estimate(
        std::move(noisy), variant, tau * tau, trace_bound, 2.0 * c * c * d * (d + 1.0) * (d + 1.0));
    estimate.statistics = std::move(statistics);
    return estimate;
}

Release wishart_cov(const SecretMoment& secret, const Budget& budget, const ReleaseOptions& options,
                    RandomSource& random) {
    const Epsilon epsilon = pure_budget(budget, "wishart");
    EpsilonMeter meter(epsilon);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const Epsilon share = meter.spend("covariance", rest, "Wishart noise on the covariance matrix");
    return make_release(moment, options, meter,
                        wishart_estimate(moment, 0, share, options.variant,
                                         std::numeric_limits<double>::infinity(), random));
}

}  // namespace dpcov::detail
