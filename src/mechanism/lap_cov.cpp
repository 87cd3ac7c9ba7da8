#include "mechanism/lap_cov.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "mechanism/clipped_gram.hpp"
#include "mechanism/feasible_estimate.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/sensitivity.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {

NoisyMatrix noisy_second_moment(const CountedMoment& moment, int clip_exponent, Epsilon epsilon,
                                NoiseLaw law, RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    PackedGram entries = clipped_gram(moment.secret, clip_exponent);
    const double scale =
        laplace_noise_scale(gram_l1_sensitivity(moment.neighbours, law, d), epsilon);
    add_symmetric_laplace(random, entries, symmetric_laplace_noise(law, scale));

    const double unit = lattice_unit(moment.secret, clip_exponent) / moment.rows.value;
    NoisyMatrix noisy;
    noisy.deviation = std::numbers::sqrt2 * scale * unit;
    noisy.grid = unit;
    noisy.matrix = symmetric_matrix(entries, d, unit);
    return noisy;
}

CovarianceEstimate lap_estimate(const CountedMoment& moment, int clip_exponent, Epsilon epsilon,
                                Variant variant, double trace_bound, RandomSource& random) {
    const NoiseLaw law = noise_law(variant);
    NoisyMatrix noisy = noisy_second_moment(moment, clip_exponent, epsilon, law, random);
    const auto d = static_cast<double>(noisy.matrix.rows());
    const double s = noisy.deviation;
    const double tau = std::ldexp(moment.secret.layout().norm_bound, -clip_exponent);
    // All of Wigner's noise, which `paper` takes: each of the d^2 entries has variance s^2.
    return feasible_estimate(std::move(noisy), variant,
                             {.squared_bound = tau * tau, .trace_bound = trace_bound},
                             s * s * d * d);
}

Release lap_cov(const SecretMoment& secret, const Budget& budget, const ReleaseOptions& options,
                RandomSource& random) {
    const Epsilon epsilon = std::get<Epsilon>(budget);
    const int clip = clip_exponent(options, secret.layout());
    EpsilonMeter meter(epsilon);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const Epsilon share = meter.spend("covariance", rest, "Laplace noise on the covariance matrix");
    return make_release(moment, options, meter,
                        lap_estimate(moment, clip, share, options.variant,
                                     std::numeric_limits<double>::infinity(), random));
}

}  // namespace dpcov::detail
