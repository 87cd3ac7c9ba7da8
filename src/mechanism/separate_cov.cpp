#include "mechanism/separate_cov.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/clamp.hpp"
#include "estimate/risk.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/sensitivity.hpp"
#include "mechanism/whole_matrix.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {
namespace {

// Eigenvalues of the clipped covariance, ascending by their exact counterparts, with the budget
// spent.
template <class Share>
Eigen::VectorXd noisy_eigenvalues(const CountedMoment& moment, int clip_exponent, Share budget,
                                  RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    const Eigen::VectorXd values =
        eigenvalues(symmetric_matrix(clipped_gram(moment.secret, clip_exponent), d, 1.0));
    std::vector<Int128> rounded(d);
    std::transform(values.begin(), values.end(), rounded.begin(),
                   [](double value) { return static_cast<Int128>(value); });
    Noise<Share>(eigenvalue_sensitivity(moment.neighbours, d, moment.rows.at_most), budget)
        .add_to(rounded, random);

    return vector_of(rounded, lattice_unit(moment.secret, clip_exponent) / moment.rows.value);
}

template <class Share>
Release separate_within(const SecretMoment& secret, Share budget, const ReleaseOptions& options,
                        RandomSource& random) {
    const int clip = clip_exponent(options, secret.layout());
    BudgetMeter<Share> meter(budget);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const Share for_values =
        meter.spend("eigenvalues", rest.share(1, 1), Noise<Share>::name() + " on the eigenvalues");
    const Share for_vectors =
        meter.spend("eigenvectors", rest.share(1, 1),
                    name_of(matrix_noise(budget, options.neighbours, secret.layout().columns,
                                         options.variant)) +
                        " on the covariance matrix, for its eigenvectors");
    return make_release(
        moment, options, meter,
        separate_estimate<Share>(moment, clip, {for_values, for_vectors}, options.variant, random));
}

}  // namespace

template <class Share>
CovarianceEstimate separate_estimate(const CountedMoment& moment, int clip_exponent,
                                     const SeparateShares<Share>& shares, Variant variant,
                                     RandomSource& random) {
    Eigen::VectorXd values = noisy_eigenvalues(moment, clip_exponent, shares.eigenvalues, random);
    NoisyMatrix noisy = noisy_matrix(moment, clip_exponent, shares.eigenvectors, variant, random);
    CovarianceEstimate estimate;
    estimate.grid = noisy.grid;
    estimate.noisy_trace = values.sum();
    const EigenDecomposition basis = eigen_decomposition(std::move(noisy.matrix));

    if (variant != Variant::paper) {
        const double tau = std::ldexp(moment.secret.layout().norm_bound, -clip_exponent);
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
            std::fmax(std::pow(noisy.deviation, 2),
                      stein_risk(basis.values, values, slopes, noisy.deviation));
    }
    return estimate;
}

template CovarianceEstimate separate_estimate(const CountedMoment&, int, const SeparateShares<Rho>&,
                                              Variant, RandomSource&);
template CovarianceEstimate separate_estimate(const CountedMoment&, int,
                                              const SeparateShares<Epsilon>&, Variant,
                                              RandomSource&);

Release separate_cov(const SecretMoment& secret, const Budget& budget,
                     const ReleaseOptions& options, RandomSource& random) {
    return std::visit([&](auto share) { return separate_within(secret, share, options, random); },
                      budget);
}

}  // namespace dpcov::detail
