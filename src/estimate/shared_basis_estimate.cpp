#include "estimate/shared_basis_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arithmetic/eigenbasis.hpp"
#include "estimate/lack_of_fit.hpp"
#include "estimate/precision.hpp"
#include "estimate/risk.hpp"
#include "estimate/shared_basis.hpp"

namespace dpcov::detail {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// By how much of the noise eigenvalues of the multiple of the prior may differ and count as equal:
// far below what the stratum can show.
constexpr double indistinguishable = 0.01;

// The prior's eigenvalues, equal where rounding alone may have made them differ. In single
// precision they were seen to differ by up to a thirtieth of the error that is allowed for.
VectorXd with_equals_equal(const VectorXd& values, const MatrixXd& prior, Precision precision,
                           double tolerance) {
    const double rounding =
        precision == Precision::single ? 0.125 * single_precision_error(prior) : 0.0;
    return with_near_ones_equal(values.cwiseMax(0.0), std::fmax(tolerance, rounding));
}

// Whether the multiple of the prior that is nearest to the stratum is worth its price: its share of
// what the prior has wrong is in the estimate of finer strata already. All candidates in the
// prior's basis have that share; where it is too much, next to never is one of them better than
// zero.
bool is_worth_it(double multiple, const NoisyStratum& stratum, const MatrixXd& prior,
                 const SquaredErrors& error, const Tuning& tuning) {
    return multiple * stratum.matrix.cwiseProduct(prior).sum() >
           stratum.noise_variance * (1.0 + tuning.candidate_price) +
               share_of_prior(multiple, 1.0, prior.rows()) * error.common;
}

// In the basis of the prior's eigenvectors, where the stratum is `turned` and the prior has
// `values`.
std::optional<StratumEstimate> estimate_in_basis(const NoisyStratum& stratum,
                                                 const MatrixXd& turned, const VectorXd& values,
                                                 double rows, NoiseShape noise,
                                                 const SquaredErrors& error, const Tuning& tuning) {
    const double variance = stratum.noise_variance;
    const double s = stratum.noise_scale();
    const MatrixXd sampling = sampling_ratios(turned, values, stratum.radius, rows, s);
    std::optional<Mixture> mixture = priced_mixture(
        shared_basis_candidates(turned, values, sampling, {1.0, tuning.wide_filter_strength}),
        turned, variance, {}, error, tuning);
    if (!mixture) {
        return std::nullopt;
    }
    // Stein's estimate is unbiased, but off by s^2 d; the model's is not, as far as it holds:
    // within reach of Stein's.
    const int steps = noise == NoiseShape::gaussian ? tuning.strength_steps_gaussian
                                                    : tuning.strength_steps_wishart;
    const double model =
        shared_basis_risk(turned, values, s, sampling, steps, tuning.strength_odds) +
        tuning.mixture_weights_freedom * variance;
    const double stein = fresh_stein_risk(*mixture, turned, variance, error);
    const double deviation = variance * stein_deviation(turned.rows(), noise, tuning);
    if (stein > model + tuning.refutation_z * deviation) {
        return std::nullopt;
    }
    const double reach = tuning.model_reach_z * deviation;
    const double fresh = std::max(variance, std::clamp(model, stein - reach, stein + reach));
    return StratumEstimate{std::move(mixture->matrix),
                           {fresh, mixture->prior_share, variance * mixture->divergence}};
}

}  // namespace

std::optional<StratumEstimate> shared_basis_estimate(const NoisyStratum& stratum,
                                                     const MatrixXd& prior, double rows,
                                                     NoiseShape noise, const SquaredErrors& error,
                                                     const Tuning& tuning) {
    const double multiple = nearest_multiple(stratum.matrix, prior);
    if (!is_worth_it(multiple, stratum, prior, error, tuning)) {
        return std::nullopt;
    }
    const double s = stratum.noise_scale();
    // The prior's eigenvectors only say where to look: what is looked at is the stratum.
    const double noise_norm = s * std::sqrt(degrees_of_freedom(prior.rows()));
    const Precision precision = enough_precision(stratum.matrix, noise_norm);
    const Eigenbasis shape(prior, precision);
    const VectorXd values =
        with_equals_equal(shape.values(), prior, precision, indistinguishable * s / multiple);
    std::optional<StratumEstimate> part = estimate_in_basis(
        stratum, shape.turned_into(stratum.matrix), values, rows, noise, error, tuning);
    if (part) {
        part->matrix = shape.turned_back(part->matrix);
    }
    return part;
}

}  // namespace dpcov::detail
