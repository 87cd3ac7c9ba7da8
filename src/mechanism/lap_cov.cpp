#include "mechanism/lap_cov.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "mechanism/clipped_gram.hpp"

namespace dpcov::detail {

double gram_l1_sensitivity(NoiseLaw law, std::size_t d) {
    constexpr double above_sqrt2 = 0x1.6a09e667f3bcdp0;  // the double just above the root of two
    const auto order = static_cast<double>(d);
    if (law == NoiseLaw::wigner) {
        return (above_sqrt2 * order * full_weight + order * (order + 1.0)) * (1.0 + 0x1p-50);
    }
    if (d == 1) {
        return (full_weight + 2.0) * (1.0 + 0x1p-50);  // squares of numbers are never orthogonal
    }
    // In d (d + 1) / 2 coordinates l1 is at most sqrt(d (d + 1) / 2) times l2.
    const double coordinates = 0.5 * order * (order + 1.0);
    return std::sqrt(coordinates) * gram_sensitivity(d) * (1.0 + 0x1p-50);
}

NoisyMatrix noisy_covariance(const SecondMoment& secret, int clip_exponent, Epsilon epsilon,
                             NoiseLaw law, RandomSource& random) {
    const std::size_t d = secret.layout().dimension;
    PackedGram entries = clipped_gram(secret, clip_exponent);
    const double scale = laplace_noise_scale(gram_l1_sensitivity(law, d), epsilon);
    add_symmetric_laplace(random, entries, symmetric_laplace_noise(law, scale));

    const double unit = lattice_unit(secret, clip_exponent) / static_cast<double>(secret.rows());
    NoisyMatrix noisy;
    noisy.noise_scale = scale * unit;
    noisy.grid = unit;
    noisy.matrix = symmetric_matrix(entries, d, unit);
    return noisy;
}

CovarianceEstimate lap_estimate(const SecondMoment& secret, int clip_exponent, Epsilon epsilon,
                                Variant variant, double trace_bound, RandomSource& random) {
    const NoiseLaw law = variant == Variant::best ? NoiseLaw::isotropic : NoiseLaw::wigner;
    NoisyMatrix noisy = noisy_covariance(secret, clip_exponent, epsilon, law, random);
    const auto d = static_cast<double>(noisy.matrix.rows());
    const double b = noisy.noise_scale;
    const double tau = std::ldexp(secret.layout().norm_bound, -clip_exponent);
    // All of Wigner's noise, which `paper` takes: each of the d^2 entries has variance 2 b^2.
    return mended_estimate(std::move(noisy), variant, tau * tau, trace_bound, 2.0 * b * b * d * d);
}

Release lap_cov(const SecondMoment& secret, const Budget& budget, const MechanismOptions& options,
                RandomSource& random) {
    const Epsilon epsilon = pure_budget(budget, "laplace");
    check_replace_neighbours(options, secret, "laplace");
    EpsilonMeter meter(epsilon);
    const Epsilon share =
        meter.spend("covariance", epsilon, "Laplace noise on the covariance matrix");
    return make_release(secret, options, random, meter,
                        lap_estimate(secret, 0, share, options.variant,
                                     std::numeric_limits<double>::infinity(), random));
}

}  // namespace dpcov::detail
