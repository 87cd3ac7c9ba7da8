#include "mechanism/separate_cov.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/gauss_cov.hpp"
#include "random/rounded_gaussian.hpp"
#include "spectral/clamp.hpp"
#include "spectral/risk.hpp"

namespace dpcov::detail {
namespace {

// Eigenvalues of the clipped covariance, ascending by their exact counterparts, with `rho` spent.
Eigen::VectorXd noisy_eigenvalues(const SecondMoment& secret, int clip_exponent, Rho rho,
                                  RandomSource& random) {
    const std::size_t d = secret.layout().dimension;
    const auto order = static_cast<Eigen::Index>(d);
    const auto n = static_cast<double>(secret.rows());
    std::vector<Int128> rounded(d);
    const Eigen::VectorXd values =
        eigenvalues(symmetric_matrix(clipped_gram(secret, clip_exponent), d, 1.0));
    std::transform(values.begin(), values.end(), rounded.begin(),
                   [](double value) { return static_cast<Int128>(value); });
    // To the sensitivity of the exact eigenvalues comes, on either side: what LAPACK errs by, the
    // rounding of the Gram to doubles (2^-53 of an entry, so of the Frobenius norm, so of the
    // trace), and the rounding of each value to an integer. The trace is at most n full weights.
    const double trace_bound = n * full_weight * (1.0 + 0x1p-40) + static_cast<double>(d);
    const double one_side = eigenvalue_error(d, trace_bound) + 0x1p-53 * trace_bound +
                            std::sqrt(static_cast<double>(d));
    const double deviation = gaussian_deviation(gram_sensitivity(d) + 2.0 * one_side, rho);
    add_gaussian(random, rounded, gaussian_noise(deviation));

    const double unit = lattice_unit(secret, clip_exponent) / n;
    Eigen::VectorXd noisy(order);
    std::transform(rounded.begin(), rounded.end(), noisy.begin(),
                   [unit](Int128 value) { return static_cast<double>(value) * unit; });
    return noisy;
}

}  // namespace

CovarianceEstimate separate_estimate(const SecondMoment& secret, int clip_exponent, Rho rho,
                                     Variant variant, RandomSource& random) {
    const NoiseLaw law = variant == Variant::best ? NoiseLaw::isotropic : NoiseLaw::wigner;
    const Rho half = rho.share(1, 1);
    Eigen::VectorXd values = noisy_eigenvalues(secret, clip_exponent, half, random);
    NoisyMatrix noisy = noisy_covariance(secret, clip_exponent, half, law, random);
    CovarianceEstimate estimate;
    estimate.grid = noisy.grid;
    estimate.noisy_trace = values.sum();
    const double s = noisy.noise_scale;
    const EigenDecomposition basis = eigen_decomposition(std::move(noisy.matrix));

    if (variant != Variant::paper) {
        const double tau = std::ldexp(secret.layout().norm_bound, -clip_exponent);
        values = clamp_eigenvalues(values, tau * tau);
    }
    if (variant == Variant::best) {
        // The true eigenvalues are in order, so sorting brings each closer to its own.
        std::sort(values.begin(), values.end());
    }
    estimate.covariance = assemble(basis.vectors, values);
    if (law == NoiseLaw::isotropic) {
        // The eigenvalues are independent of the noise that chose the basis.
        const Eigen::VectorXd slopes = Eigen::VectorXd::Zero(values.size());
        estimate.estimated_squared_error = stein_risk(basis.values, values, slopes, s);
    }
    return estimate;
}

Release separate_cov(const SecondMoment& secret, const Budget& budget,
                     const MechanismOptions& options, RandomSource& random) {
    const Rho rho = zcdp_budget(budget, "separate");
    check_replace_neighbours(options, secret, "separate");
    const int clip = clip_exponent(options, secret.layout());
    RhoMeter meter(rho);
    meter.spend("eigenvalues", rho.share(1, 1), "Gaussian noise on the eigenvalues");
    meter.spend("eigenvectors", rho.share(1, 1),
                "Gaussian noise on the covariance matrix, for its eigenvectors");
    return make_release(secret, options, random, meter,
                        separate_estimate(secret, clip, rho, options.variant, random));
}

}  // namespace dpcov::detail
