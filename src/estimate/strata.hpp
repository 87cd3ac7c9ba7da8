// One estimate from the noisy second moments of norm strata: empirical-Bayes shrinkage across
// strata. Post-processing: nothing here sees un-noised data. Derivation:
// docs/algorithms.md#stratified.
//
// The strata come from the finest to the coarsest: the finer ones have less noise, in proportion to
// their squared norm, so what is estimated of them is the prior for the coarser ones. The estimate
// is a fold over them:
//
//   Belief belief = prior_belief(d);
//   for (each stratum) belief = with_stratum(std::move(belief), stratum, model);
//   belief = with_all_together(std::move(belief), model);
//   // belief.estimate, estimated_squared_error(belief)
//
// A step classifies the stratum in the light of what is believed, and updates that by the finding.
// Any list of strata will do whose noises are independent.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <variant>

#include "dpcov/statistics.hpp"
#include "estimate/error_model.hpp"
#include "estimate/noisy_stratum.hpp"
#include "estimate/pooled_sum.hpp"
#include "estimate/spike_and_slab.hpp"
#include "estimate/stratum_estimate.hpp"
#include "estimate/tuning.hpp"

namespace dpcov::detail {

/// What is public and the same for all strata.
struct StrataModel {
    double rows = 0.0;  ///< n > 0, in all strata together
    NoiseShape noise = NoiseShape::gaussian;
    Tuning tuning = {};
};

/// What a faint stratum holds beside its multiple of the prior, with its noise scale.
struct Residual {
    Eigen::MatrixXd matrix;
    double noise_scale;
};

/// The spike-and-slab prior of what a faint stratum holds along the prior.
struct Slab {
    double presence = 0.0;  ///< chance that it holds anything
    double norm = 0.0;      ///< the mean if so, for a stratum of radius `radius`
    double radius = 0.0;
};

/// What is believed after the strata so far.
struct Belief {
    Eigen::MatrixXd estimate;               ///< of their sum; symmetric, projected onto nothing
    Eigen::MatrixXd prior;                  ///< the shape of coarser strata; empty while none
    std::optional<NoisyStratum> pooled;     ///< not resolved, to be pooled with the next
    std::optional<Residual> last_residual;  ///< of the last stratum, if that was faint
    Slab slab;                              ///< for the next one
    double inner_radius = 0.0;              ///< of the next one: the last one's radius
    SquaredErrors error;                    ///< of `estimate` and of `prior`
    PooledSum sum;                          ///< of all strata so far
};

/// Nothing but noise, as far as can be seen: the stratum is left out.
struct Undetected {};

/// Too little to be estimated by itself: it waits for the next coarser stratum. So does a detected
/// one of which no mixture of candidates is better than zero.
struct Unresolved {
    NoisyStratum pooled;
};

/// Not detected beside the prior: the posterior mean along the prior is taken.
struct Faint {
    SpikeAndSlab along;  ///< in Frobenius norm, along the prior
    double noise_scale = 0.0;
    double radius = 0.0;
    std::optional<Residual> residual;     ///< none where it was detected with the last one's
    std::optional<StratumEstimate> pair;  ///< then, what the two have in common, in both together
};

/// Estimated by itself, or in the prior's eigenbasis.
struct Detected {
    StratumEstimate part;
    double radius = 0.0;
};

using Finding = std::variant<Undetected, Unresolved, Faint, Detected>;

/// Before the first stratum, of d >= 1 columns.
[[nodiscard]] Belief prior_belief(Eigen::Index d);

/// What the next coarser stratum holds, pooled with what waits for it.
[[nodiscard]] Finding classify(const Belief& belief, NoisyStratum stratum,
                               const StrataModel& model);

/// What is believed after that finding.
[[nodiscard]] Belief update(Belief belief, Finding finding, const StrataModel& model);

/// Both: one step of the fold.
[[nodiscard]] Belief with_stratum(Belief belief, NoisyStratum stratum, const StrataModel& model);

/// After the last stratum: where none was detected, what all of them show as one, if anything.
[[nodiscard]] Belief with_all_together(Belief belief, const StrataModel& model);

/// The whole fold, finest first; at least one stratum. A release draws its strata one by one, and
/// does the same in StrataEstimate.
[[nodiscard]] Belief estimate_strata(std::span<const NoisyStratum> strata,
                                     const StrataModel& model);

/// The expected squared Frobenius error of belief.estimate (docs/algorithms.md#stratified-error).
/// None while nothing was detected: what noise hides cannot be told from it.
[[nodiscard]] std::optional<double> estimated_squared_error(const Belief& belief);

}  // namespace dpcov::detail
