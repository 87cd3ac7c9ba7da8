#include "mechanism/separate_cov.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/lap_cov.hpp"
#include "mechanism/wishart_cov.hpp"
#include "random/discrete_laplace.hpp"
#include "random/rounded_gaussian.hpp"
#include "spectral/clamp.hpp"
#include "spectral/risk.hpp"

namespace dpcov::detail {
namespace {

// Bound on the l2 distance between the eigenvalues of the Gram and the integers that stand for
// them, for any table of n rows: what LAPACK errs by, the rounding of the Gram to doubles (2^-53 of
// an entry, so of the Frobenius norm, so of the trace), and the rounding of each value to an
// integer.
double integer_eigenvalue_error(std::size_t d, double n) {
    const double trace_bound = n * full_weight * (1.0 + 0x1p-40) + static_cast<double>(d);
    return eigenvalue_error(d, trace_bound) + 0x1p-53 * trace_bound +
           std::sqrt(static_cast<double>(d));
}

void add_noise(RandomSource& random, std::span<Int128> values, double n, Rho rho) {
    const std::size_t d = values.size();
    const double sensitivity = gram_sensitivity(d) + 2.0 * integer_eigenvalue_error(d, n);
    add_gaussian(random, values, gaussian_noise(gaussian_deviation(sensitivity, rho)));
}

void add_noise(RandomSource& random, std::span<Int128> values, double n, Epsilon epsilon) {
    const double sensitivity = eigenvalue_l1_sensitivity(values.size(), n);
    add_discrete_laplace(random, values, laplace_scale(laplace_noise_scale(sensitivity, epsilon)));
}

// Eigenvalues of the clipped covariance, ascending by their exact counterparts, with the budget
// spent.
template <class Share>
Eigen::VectorXd noisy_eigenvalues(const SecondMoment& secret, int clip_exponent, Share budget,
                                  RandomSource& random) {
    const std::size_t d = secret.layout().dimension;
    const auto n = static_cast<double>(secret.rows());
    const Eigen::VectorXd values =
        eigenvalues(symmetric_matrix(clipped_gram(secret, clip_exponent), d, 1.0));
    std::vector<Int128> rounded(d);
    std::transform(values.begin(), values.end(), rounded.begin(),
                   [](double value) { return static_cast<Int128>(value); });
    add_noise(random, rounded, n, budget);

    const double unit = lattice_unit(secret, clip_exponent) / n;
    Eigen::VectorXd noisy(values.size());
    std::transform(rounded.begin(), rounded.end(), noisy.begin(),
                   [unit](Int128 value) { return static_cast<double>(value) * unit; });
    return noisy;
}

NoiseLaw entrywise_law(Variant variant) {
    return variant == Variant::best ? NoiseLaw::isotropic : NoiseLaw::wigner;
}

// A noisy covariance of which only the eigenvectors are used.
NoisyMatrix noisy_matrix(const SecondMoment& secret, int clip_exponent, Rho rho, Variant variant,
                         RandomSource& random) {
    return noisy_covariance(secret, clip_exponent, rho, entrywise_law(variant), random);
}

NoisyMatrix noisy_matrix(const SecondMoment& secret, int clip_exponent, Epsilon epsilon,
                         Variant variant, RandomSource& random) {
    if (variant == Variant::best && wishart_beats_laplace(secret.layout().dimension)) {
        return wishart_covariance(secret, clip_exponent, epsilon, random);
    }
    return noisy_covariance(secret, clip_exponent, epsilon, entrywise_law(variant), random);
}

// What hides the matrix, as the account calls it.
std::string matrix_noise(Rho rho, Variant /*variant*/, std::size_t /*d*/) {
    return noise_for(rho);
}
std::string matrix_noise(Epsilon epsilon, Variant variant, std::size_t d) {
    return variant == Variant::best && wishart_beats_laplace(d) ? "Wishart noise"
                                                                : noise_for(epsilon);
}

template <class Share>
Release separate_within(const SecondMoment& secret, Share budget, const MechanismOptions& options,
                        RandomSource& random) {
    check_replace_neighbours(options, secret, "separate");
    const int clip = clip_exponent(options, secret.layout());
    BudgetMeter<Share> meter(budget);
    meter.spend("eigenvalues", budget.share(1, 1), noise_for(budget) + " on the eigenvalues");
    meter.spend("eigenvectors", budget.share(1, 1),
                matrix_noise(budget, options.variant, secret.layout().dimension) +
                    " on the covariance matrix, for its eigenvectors");
    return make_release(secret, options, random, meter,
                        separate_estimate(secret, clip, budget, options.variant, random));
}

}  // namespace

double eigenvalue_l1_sensitivity(std::size_t d, double n) {
    const auto order = static_cast<double>(d);
    const double one_side = std::sqrt(order) * (integer_eigenvalue_error(d, n) + order);
    return (2.0 * full_weight + 2.0 * one_side) * (1.0 + 0x1p-50);
}

template <class Share>
CovarianceEstimate separate_estimate(const SecondMoment& secret, int clip_exponent, Share budget,
                                     Variant variant, RandomSource& random) {
    const Share half = budget.share(1, 1);
    Eigen::VectorXd values = noisy_eigenvalues(secret, clip_exponent, half, random);
    NoisyMatrix noisy = noisy_matrix(secret, clip_exponent, half, variant, random);
    CovarianceEstimate estimate;
    estimate.grid = noisy.grid;
    estimate.noisy_trace = values.sum();
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
    if (std::is_same_v<Share, Rho> && variant == Variant::best) {
        // The noise is isotropic, and the eigenvalues are independent of the noise that chose the
        // basis.
        const Eigen::VectorXd slopes = Eigen::VectorXd::Zero(values.size());
        estimate.estimated_squared_error =
            stein_risk(basis.values, values, slopes, noisy.noise_scale);
    }
    return estimate;
}

template CovarianceEstimate separate_estimate(const SecondMoment&, int, Rho, Variant,
                                              RandomSource&);
template CovarianceEstimate separate_estimate(const SecondMoment&, int, Epsilon, Variant,
                                              RandomSource&);

Release separate_cov(const SecondMoment& secret, const Budget& budget,
                     const MechanismOptions& options, RandomSource& random) {
    return std::visit([&](auto share) { return separate_within(secret, share, options, random); },
                      budget);
}

}  // namespace dpcov::detail
