#include "estimate/strata.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "arithmetic/unwritten_matrix.hpp"
#include "estimate/detection.hpp"
#include "estimate/error_model.hpp"
#include "estimate/lack_of_fit.hpp"
#include "estimate/own_spectrum.hpp"
#include "estimate/shared_basis_estimate.hpp"

namespace dpcov::detail {
namespace {

using Eigen::MatrixXd;

bool has_prior(const Belief& belief) {
    return belief.prior.size() > 0;
}

// Of a stratum that may hold as many rows as what was detected, of its own norm.
SpikeAndSlab posterior_along_prior(const Belief& belief, const NoisyStratum& stratum) {
    const double seen = stratum.matrix.cwiseProduct(belief.prior).sum() / belief.prior.norm();
    const Slab& slab = belief.slab;
    return spike_and_slab_posterior(seen, stratum.noise_scale(), slab.presence,
                                    slab.norm * std::pow(stratum.radius / slab.radius, 2));
}

// Of the multiple of the prior that is nearest to the matrix, if there is a prior.
std::vector<Candidate> candidates_along_prior(const Belief& belief, const MatrixXd& matrix) {
    std::vector<Candidate> candidates;
    if (has_prior(belief)) {
        const double multiple = nearest_multiple(matrix, belief.prior);
        candidates.push_back(
            {Multiple{&belief.prior, multiple}, 1.0, share_of_prior(multiple, 1.0, matrix.rows())});
    }
    return candidates;
}

// The mean of two residuals in units of their noise, which has as much noise as either. Rows that
// point the same way in both stand out more in it.
MatrixXd paired(const Residual& one, const Residual& other) {
    return (one.matrix / one.noise_scale + other.matrix / other.noise_scale) / std::numbers::sqrt2;
}

Finding faint_finding(const Belief& belief, const NoisyStratum& stratum, const SpikeAndSlab& along,
                      MatrixXd residual, const StrataModel& model) {
    Faint faint{.along = along,
                .noise_scale = stratum.noise_scale(),
                .radius = stratum.radius,
                .residual = Residual{std::move(residual), stratum.noise_scale()},
                .pair = std::nullopt};
    if (!belief.last_residual) {
        return faint;
    }
    // The sum of two Wishart matrices has shorter tails than one: the threshold is no lower for it.
    const NoiseSpectrum noise(model.noise, stratum.matrix.rows(), 1.0);
    const Residual& last = *belief.last_residual;
    const MatrixXd both = paired(*faint.residual, last);
    if (!eigenvalue_is_detected(both, noise, model.tuning)) {
        return faint;
    }
    faint.residual.reset();
    faint.pair = own_spectrum_estimate(both, noise, {}, belief.error, model.tuning);
    if (faint.pair) {
        const double sum = (faint.noise_scale + last.noise_scale) / std::numbers::sqrt2;
        faint.pair->matrix *= sum;
        faint.pair->error.fresh *= sum * sum;
        faint.pair->error.noise *= sum * sum;
    }
    return faint;
}

Finding detected_finding(const Belief& belief, NoisyStratum stratum, bool by_trace,
                         const NoiseSpectrum& noise, const StrataModel& model) {
    const Tuning& tuning = model.tuning;
    std::optional<StratumEstimate> part;
    if (has_prior(belief) && by_trace &&
        prior_fits(stratum, belief.prior, model.rows, model.noise, tuning)) {
        part = shared_basis_estimate(stratum, belief.prior, model.rows, model.noise, belief.error,
                                     tuning);
    }
    if (!part) {
        part = own_spectrum_estimate(stratum.matrix, noise,
                                     candidates_along_prior(belief, stratum.matrix), belief.error,
                                     tuning);
    }
    if (!part) {
        return Unresolved{std::move(stratum)};
    }
    return Detected{std::move(*part), stratum.radius};
}

Belief updated(Belief belief, const Undetected& /*finding*/, const StrataModel& /*model*/) {
    belief.pooled.reset();
    return belief;
}

Belief updated(Belief belief, Unresolved finding, const StrataModel& /*model*/) {
    belief.pooled = std::move(finding.pooled);
    return belief;
}

// That rows which reach into a stratum reach beyond it. However many octaves a loose norm bound
// leaves above the rows, noise has as many occasions to lift the belief in what is there.
double chance_to_reach_beyond(double inner_radius, double radius, const Tuning& tuning) {
    const double octaves = radius > inner_radius ? std::log2(radius / inner_radius) : 0.0;
    return tuning.persistence * std::pow(tuning.reach_per_octave, octaves);
}

Belief updated(Belief belief, Faint finding, const StrataModel& model) {
    const auto& [along, noise_scale, radius, residual, pair] = finding;
    const Tuning& tuning = model.tuning;
    belief.slab.presence =
        std::fmax(tuning.least_presence,
                  along.presence * chance_to_reach_beyond(belief.inner_radius, radius, tuning));
    // Where the noise is more than all there is so far, and the stratum holds nothing, as all
    // strata above a loose bound do, what would be believed of it would outweigh what is known.
    if (!(noise_scale > tuning.faint_noise_limit * belief.estimate.norm())) {
        const double share = along.mean / belief.prior.norm();
        belief.estimate += share * belief.prior;
        // Which rows they are is not seen either: their sampling error stays whole.
        const double trace = std::max(0.0, share * belief.prior.trace());
        const double sampled = trace > 0.0 ? trace - along.mean * along.mean / trace : 0.0;
        const double fresh = along.variance + std::max(0.0, sampled) * radius * radius / model.rows;
        const double of_prior = share_of_prior(share, 1.0, belief.prior.rows());
        belief.error = with_stratum_error(belief.error, {fresh, of_prior, along.variance}, 0.0);
    }
    if (pair) {
        belief.estimate += pair->matrix;
        belief.error =
            with_stratum_error(belief.error, {pair->error.fresh, 0.0, pair->error.noise}, 0.0);
    }
    belief.last_residual = std::move(finding.residual);
    belief.pooled.reset();
    return belief;
}

Belief updated(Belief belief, Detected finding, const StrataModel& model) {
    MatrixXd matrix = std::move(finding.part.matrix);
    const StratumError error = finding.part.error;
    const double radius = finding.radius;
    belief.estimate += matrix;
    belief.slab = {model.tuning.persistence, belief.estimate.norm(), radius};
    // For the prior each stratum weighs as much as its shape is worth: the inverse of its squared
    // error, by its noise and by the sampling of its rows. One without a trace has no shape.
    const double trace = std::max(0.0, matrix.trace());
    const double weight = trace / (error.fresh + radius * radius * trace / model.rows);
    if (has_prior(belief)) {
        belief.prior += weight * matrix;
    } else if (weight > 0.0) {
        matrix *= weight;
        belief.prior = std::move(matrix);
    }
    belief.error = with_stratum_error(belief.error, error, weight);
    belief.last_residual.reset();
    belief.pooled.reset();
    return belief;
}

// The estimate of all strata so far from their sum, where that is seen to be better.
Belief with_pooled_sum(Belief belief, const Tuning& tuning) {
    std::optional<PooledEstimate> pooled =
        pooled_estimate(belief.sum, belief.estimate, belief.error.noise_in_estimate, tuning);
    if (pooled) {
        belief.estimate = std::move(pooled->matrix);
        // Of a conditional mean this product is the squared error, too.
        belief.error.estimate = std::max(belief.sum.noise_variance, pooled->noise);
        belief.error.noise_in_estimate = pooled->noise;
    }
    return belief;
}

}  // namespace

Belief prior_belief(Eigen::Index d) {
    Belief belief;
    belief.estimate = MatrixXd::Zero(d, d);
    return belief;
}

Finding classify(const Belief& belief, NoisyStratum stratum, const StrataModel& model) {
    if (belief.pooled) {
        stratum = pooled(*belief.pooled, std::move(stratum));
    }
    const bool first = !has_prior(belief);
    const NoiseSpectrum noise(model.noise, stratum.matrix.rows(), stratum.noise_scale());
    const double z_score = trace_z_score(stratum);
    if (trace_is_detected(z_score, first, noise, model.tuning)) {
        return detected_finding(belief, std::move(stratum), true, noise, model);
    }
    if (first) {
        if (eigenvalue_is_detected(stratum.matrix, noise, model.tuning)) {
            return detected_finding(belief, std::move(stratum), false, noise, model);
        }
        if (z_score < model.tuning.pooling_z) {
            return Undetected{};
        }
        return Unresolved{std::move(stratum)};
    }
    const SpikeAndSlab along = posterior_along_prior(belief, stratum);
    MatrixXd residual =
        in_huge_pages(stratum.matrix - along.mean / belief.prior.norm() * belief.prior);
    if (eigenvalue_is_detected(residual, noise, model.tuning)) {
        residual.resize(0, 0);  // memory
        return detected_finding(belief, std::move(stratum), false, noise, model);
    }
    return faint_finding(belief, stratum, along, std::move(residual), model);
}

Belief update(Belief belief, Finding finding, const StrataModel& model) {
    return std::visit(
        [&](auto& found) { return updated(std::move(belief), std::move(found), model); }, finding);
}

Belief with_stratum(Belief belief, NoisyStratum stratum, const StrataModel& model) {
    if (belief.sum.matrix.size() > 0) {
        belief.sum.matrix += stratum.matrix;
    } else {
        belief.sum.matrix = in_huge_pages(stratum.matrix);
    }
    belief.sum.noise_variance += stratum.noise_variance;
    const double radius = stratum.radius;
    Finding finding = classify(belief, std::move(stratum), model);
    const bool is_another = has_prior(belief) && std::holds_alternative<Detected>(finding);
    belief = update(std::move(belief), std::move(finding), model);
    belief.inner_radius = radius;
    // Not by a conditional expression, which would copy the matrices.
    if (is_another) {
        return with_pooled_sum(std::move(belief), model.tuning);
    }
    return belief;
}

Belief with_all_together(Belief belief, const StrataModel& model) {
    if (belief.sum.matrix.size() == 0 || !belief.estimate.isZero(0.0)) {
        return belief;
    }
    const NoisyStratum all = {belief.sum.matrix, belief.sum.noise_variance, 1.0};
    const NoiseSpectrum noise(model.noise, all.matrix.rows(), all.noise_scale());
    if (!sum_is_detected(all, noise, model.tuning)) {
        return belief;
    }
    if (std::optional<StratumEstimate> together =
            own_spectrum_estimate(all.matrix, noise, {}, belief.error, model.tuning)) {
        belief.estimate = std::move(together->matrix);
        belief.error.estimate = together->error.fresh;
    }
    return belief;
}

Belief estimate_strata(std::span<const NoisyStratum> strata, const StrataModel& model) {
    Belief belief = prior_belief(strata.front().matrix.rows());
    for (const NoisyStratum& stratum : strata) {
        belief = with_stratum(std::move(belief), stratum, model);
    }
    return with_all_together(std::move(belief), model);
}

std::optional<double> estimated_squared_error(const Belief& belief) {
    if (belief.estimate.isZero(0.0)) {
        return std::nullopt;
    }
    return belief.error.estimate;
}

}  // namespace dpcov::detail
