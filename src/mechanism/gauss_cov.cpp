#include "mechanism/gauss_cov.hpp"

#include <cmath>
#include <utility>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/clamp.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/sensitivity.hpp"

namespace dpcov::detail {

NoisyMatrix noisy_covariance(const CountedMoment& moment, int clip_exponent, Rho rho, NoiseLaw law,
                             RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    PackedGram entries = clipped_gram(moment.secret, clip_exponent);
    const double deviation = gaussian_deviation(gram_sensitivity(moment.neighbours, d), rho);
    const SymmetricNoise noise = symmetric_noise(law, deviation);
    add_symmetric_gaussian(random, entries, noise);

    const double unit = lattice_unit(moment.secret, clip_exponent) / moment.rows.value;
    NoisyMatrix noisy;
    noisy.noise_scale = deviation * unit;
    noisy.grid = std::ldexp(unit, noise.diagonal.grid_log2);
    noisy.matrix = symmetric_matrix(entries, d, unit);
    return noisy;
}

CovarianceEstimate gauss_estimate(const CountedMoment& moment, int clip_exponent, Rho rho,
                                  Variant variant, RandomSource& random) {
    const NoiseLaw law = variant == Variant::best ? NoiseLaw::isotropic : NoiseLaw::wigner;
    NoisyMatrix noisy = noisy_covariance(moment, clip_exponent, rho, law, random);
    const double tau = std::ldexp(moment.secret.layout().norm_bound, -clip_exponent);
    CovarianceEstimate estimate;
    if (law == NoiseLaw::isotropic) {
        Statistics statistics = statistics_of(moment, NoiseShape::gaussian);
        statistics.complete = true;
        statistics.strata.push_back({.radius = tau,
                                     .second_moment = std::move(noisy.matrix),
                                     .noise_scale = noisy.noise_scale});
        estimate = clamped_estimate(statistics.strata[0]);
        estimate.statistics = std::move(statistics);
        estimate.grid = noisy.grid;
        return estimate;
    }
    estimate.grid = noisy.grid;
    estimate.noisy_trace = noisy.matrix.trace();
    const double s = noisy.noise_scale;
    const auto d = static_cast<double>(noisy.matrix.rows());
    const double squared_noise = s * s * d * d;
    estimate.estimated_squared_norm = noisy.matrix.squaredNorm() - squared_noise;
    if (variant == Variant::paper) {
        estimate.estimated_squared_error = squared_noise;
        estimate.covariance = std::move(noisy.matrix);
        return estimate;
    }
    const EigenDecomposition eigen = eigen_decomposition(std::move(noisy.matrix));
    estimate.covariance = assemble(eigen.vectors, clamp_eigenvalues(eigen.values, tau * tau));
    return estimate;
}

Release gauss_cov(const SecretMoment& secret, const Budget& budget, const ReleaseOptions& options,
                  RandomSource& random) {
    const Rho rho = zcdp_budget(budget, "gauss");
    const int clip = clip_exponent(options, secret.layout());
    RhoMeter meter(rho);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const Rho share = meter.spend("covariance", rest, "Gaussian noise on the covariance matrix");
    return make_release(moment, options, meter,
                        gauss_estimate(moment, clip, share, options.variant, random));
}

}  // namespace dpcov::detail
