#include "mechanism/wishart_cov.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "mechanism/clipped_gram.hpp"
#include "random/wishart_noise.hpp"

namespace dpcov::detail {

double gram_nuclear_sensitivity(std::size_t d) {
    if (d == 1) {
        return (full_weight + 2.0) * (1.0 + 0x1p-50);  // squares of numbers are never orthogonal
    }
    const auto order = static_cast<double>(d);
    return (2.0 * full_weight + 2.0 * order * std::sqrt(order)) * (1.0 + 0x1p-50);
}

NoisyMatrix wishart_covariance(const SecondMoment& secret, int clip_exponent, Epsilon epsilon,
                               RandomSource& random) {
    const std::size_t d = secret.layout().dimension;
    PackedGram entries = clipped_gram(secret, clip_exponent);
    // Density exp(-a tr P) with a = epsilon / sensitivity, and c = 1 / (2 a).
    const double scale = 0.5 * laplace_noise_scale(gram_nuclear_sensitivity(d), epsilon);
    const WishartNoise noise = wishart_noise(scale, d);
    add_wishart(random, entries, noise);

    const double unit = lattice_unit(secret, clip_exponent) / static_cast<double>(secret.rows());
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = scale * unit,
            .grid = std::ldexp(unit, noise.grid_log2)};
}

CovarianceEstimate wishart_estimate(const SecondMoment& secret, int clip_exponent, Epsilon epsilon,
                                    Variant variant, double trace_bound, RandomSource& random) {
    NoisyMatrix noisy = wishart_covariance(secret, clip_exponent, epsilon, random);
    const auto d = static_cast<double>(noisy.matrix.rows());
    const double c = noisy.noise_scale;
    const double tau = std::ldexp(secret.layout().norm_bound, -clip_exponent);
    return mended_estimate(std::move(noisy), variant, tau * tau, trace_bound,
                           2.0 * c * c * d * (d + 1.0) * (d + 1.0));
}

Release wishart_cov(const SecondMoment& secret, const Budget& budget,
                    const MechanismOptions& options, RandomSource& random) {
    const Epsilon epsilon = pure_budget(budget, "wishart");
    check_replace_neighbours(options, secret, "wishart");
    EpsilonMeter meter(epsilon);
    const Epsilon share =
        meter.spend("covariance", epsilon, "Wishart noise on the covariance matrix");
    return make_release(secret, options, random, meter,
                        wishart_estimate(secret, 0, share, options.variant,
                                         std::numeric_limits<double>::infinity(), random));
}

}  // namespace dpcov::detail
