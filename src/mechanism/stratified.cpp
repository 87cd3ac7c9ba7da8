#include "mechanism/stratified.hpp"

#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/clipped_gram.hpp"
#include "random/symmetric_noise.hpp"
#include "spectral/clamp.hpp"
#include "spectral/simplex.hpp"
#include "spectral/strata.hpp"

namespace dpcov::detail {
namespace {

// sqrt(2) times the squared norm 2^40 that placement allows a row, rounded up.
constexpr double stratum_sensitivity = 0x1.6a09e667f3bcdp40;

CovarianceEstimate stratified_estimate(const SecondMoment& secret, Rho rho, RandomSource& random) {
    const auto d = static_cast<Eigen::Index>(secret.layout().dimension);
    constexpr int finest = SecondMoment::strata - 1;
    StrataEstimator strata(d, static_cast<double>(secret.rows()));
    CovarianceEstimate estimate;
    for (int k = finest; k >= 0; --k) {
        const NoisyMatrix noisy = noisy_stratum(secret, k, rho, random);
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

}  // namespace

NoisyMatrix noisy_stratum(const SecondMoment& secret, int k, Rho rho, RandomSource& random) {
    const std::size_t d = secret.layout().dimension;
    PackedGram entries = secret.stratum(k).gram;
    entries.resize(d * (d + 1) / 2);
    const double deviation = gaussian_deviation(stratum_sensitivity, rho);
    const SymmetricNoise noise = symmetric_noise(NoiseLaw::isotropic, deviation);
    add_symmetric_gaussian(random, entries, noise);

    const double unit =
        std::ldexp(1.0, -2 * (k + SecondMoment::radius_bits)) / static_cast<double>(secret.rows());
    NoisyMatrix noisy;
    noisy.noise_scale = deviation * unit;
    noisy.grid = std::ldexp(unit, noise.diagonal.grid_log2);
    noisy.matrix = symmetric_matrix(entries, d, unit);
    return noisy;
}

Release stratified_cov(const SecondMoment& secret, const Budget& budget,
                       const MechanismOptions& options, RandomSource& random) {
    const Rho rho = zcdp_budget(budget, "stratified");
    check_replace_neighbours(options, secret, "stratified");
    RhoMeter meter(rho);
    const Rho share = meter.spend("strata", rho,
                                  "Gaussian noise on the covariance matrix of every norm stratum; "
                                  "one row is in one stratum");
    return make_release(secret, options, random, meter, stratified_estimate(secret, share, random));
}

}  // namespace dpcov::detail
