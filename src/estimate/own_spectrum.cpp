#include "estimate/own_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arithmetic/eigenbasis.hpp"
#include "estimate/detection.hpp"
#include "estimate/entrywise.hpp"
#include "estimate/precision.hpp"
#include "estimate/risk.hpp"
#include "estimate/shrinkage.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

void add_spectral_candidates(std::vector<Candidate>& candidates, const VectorXd& noisy,
                             const NoiseSpectrum& noise, const Tuning& tuning) {
    const Index d = noisy.size();
    const double s = noise.s();
    // The Hilbert transform is estimated best at widths of about this order (Ledoit, Wolf 2020).
    const double width = tuning.kernel_width * s * std::sqrt(2.0 * static_cast<double>(d)) /
                         std::cbrt(static_cast<double>(d));
    const VectorXd excess = noise.shape() == NoiseShape::gaussian
                                ? VectorXd::Zero(d)
                                : excess_pull(noisy, noise, width);
    const auto add = [&](const Shrinkage& shrinkage) {
        candidates.push_back({Spectrum{shrinkage.values},
                              shrinkage.divergence + shrinkage.values.dot(excess) / (s * s)});
    };
    add(positive_part(noisy));
    add(spiked_shrinkage(noisy, noise));
    std::vector<Index> bulks = {1};
    for (Index spikes = 0; spikes <= tuning.most_spikes && spikes < d;
         spikes = std::max(Index{1}, 2 * spikes)) {
        bulks.push_back(d - spikes);
    }
    for (const double factor : {1.0 / tuning.kernel_span, tuning.kernel_span, 1.0}) {
        const std::vector<Index> wanted = factor == 1.0 ? bulks : std::vector<Index>{1};
        for (const Shrinkage& shrinkage :
             rotation_invariant_shrinkage(noisy, noise, factor * width, wanted)) {
            add(shrinkage);
        }
    }
}

// A shape that does not show cannot be told from noise, which Stein's estimate would find one in:
// under Wishart noise it deviates by more than there is to gain.
bool may_have_any_shape(const VectorXd& noisy, const NoiseSpectrum& noise, const Tuning& tuning) {
    return noise.shape() == NoiseShape::gaussian || shape_is_detected(noisy, noise, tuning);
}

// The multiple of the identity that is nearest: one degree of freedom.
Candidate mean_eigenvalue(const VectorXd& noisy) {
    return {Spectrum{VectorXd::Constant(noisy.size(), noisy.mean())}, 1.0};
}

// A best estimate's risk is s^2 div as well as Stein's estimate. That deviates less, but counts
// what is left of noise as if it were kept for a reason. Where div is far above this many
// deviations of Stein's, that is the one to be heard.
double caution(NoiseShape shape, const Tuning& tuning) {
    return shape == NoiseShape::gaussian ? tuning.stein_caution_gaussian
                                         : tuning.stein_caution_wishart;
}

}  // namespace

std::optional<StratumEstimate> own_spectrum_estimate(const Eigen::MatrixXd& noisy,
                                                     const NoiseSpectrum& noise,
                                                     std::vector<Candidate> others,
                                                     const SquaredErrors& error,
                                                     const Tuning& tuning) {
    const double variance = noise.s() * noise.s();
    const double noise_norm = noise.s() * std::sqrt(degrees_of_freedom(noisy.rows()));
    const Eigenbasis own(noisy, enough_precision(noisy, noise_norm));
    if (may_have_any_shape(own.values(), noise, tuning)) {
        add_spectral_candidates(others, own.values(), noise, tuning);
    } else {
        others.push_back(mean_eigenvalue(own.values()));
    }
    for (Candidate& candidate : entrywise_candidates(noisy, noise, tuning)) {
        others.push_back(std::move(candidate));
    }
    std::optional<Mixture> mixture = priced_mixture(others, noisy, variance, own, error, tuning);
    if (!mixture) {
        return std::nullopt;
    }
    const double freedom = std::max(0.0, mixture->divergence);
    const double trust =
        freedom / (freedom + caution(noise.shape(), tuning) *
                                 stein_deviation(noisy.rows(), noise.shape(), tuning));
    const double stein = fresh_stein_risk(*mixture, noisy, variance, error);
    const double fresh = std::max(variance, std::lerp(variance * freedom, stein, trust));
    return StratumEstimate{std::move(mixture->matrix),
                           {fresh, mixture->prior_share, variance * mixture->divergence}};
}

}  // namespace dpcov::detail
