// The constants of the estimate of a stratum that somebody chose; those of other steps, such as the
// partition and the centring, stand where they are used. What halving, doubling or
// moving each does to errors is measured in docs/tuning.md, by `dpcov-lab tuning`.
//
// Statistical constants are quantiles: they fix a rate of false alarms under noise alone. Fitted
// constants are the best of a few that were tried, on the settings of docs/accuracy.md unless a
// comment says otherwise. Safety constants keep what is rare from being expensive. Numbers that
// only numerical accuracy depends on (nodes, iterations, ridges) stand where they are used.
#pragma once

namespace dpcov::detail {

struct Tuning {
    // ---- Detection: is a stratum more than noise?

    /// z-score of a stratum's trace from which on it is estimated by itself. Statistical: one-sided
    /// normal, false alarms 3.2e-5 a stratum.
    double detection_z = 4.0;
    /// The same while there is no prior: what is detected first is the prior of all coarser strata,
    /// whose noise is greater. Statistical: one-sided normal, false alarms 3.4e-6 a stratum.
    double first_detection_z = 4.5;
    /// Tracy-Widom quantile (beta = 1) from which on the greatest eigenvalue of what the prior does
    /// not explain is detected. In units of the edge's scale, above the edge. Statistical: false
    /// alarms about 1e-5 a stratum.
    double detection_quantile = 5.5;
    /// Thresholds under Wishart noise are those times sqrt(1 + this / degrees of freedom): its
    /// tails are longer, at d = 1 those of Laplace noise, where the trace's false alarms are 6e-6
    /// and 1.5e-6 with this. Statistical; simulated at d = 1 to 200.
    double wishart_tail = 3.0;
    /// z-score of a squared norm, less that of the nearest multiple of the identity, from which on
    /// more than the size is estimated under Wishart noise. Fitted (docs/research-log.md#shape).
    double shape_z = 2.0;
    /// z-score of the trace from which on a stratum that is not detected is pooled with the next
    /// coarser one, to whose noise it adds, rather than left out, while there is no prior. Fitted.
    double pooling_z = 1.0;
    /// z-score of the greatest trace that there could be, up to which a release is provably
    /// undetectable: zero, without noise drawn. Safety: far below the thresholds above.
    double undetectable_z = 0.5;

    // ---- Spike and slab: what a faint stratum holds along the prior.

    /// Chance that a faint stratum holds anything if the next finer one does. Fitted.
    double persistence = 0.99;
    /// That times this for each octave of norms that a faint stratum spans: the chance that the
    /// next one holds anything if it does itself. Fitted (docs/research-log.md#reach).
    double reach_per_octave = 0.7;
    /// The least such chance after many faint strata. Safety: zero would make the posterior of an
    /// infinite likelihood not a number.
    double least_presence = 1e-200;
    /// A faint stratum adds nothing where its noise scale is above this multiple of the norm of all
    /// that was estimated so far. Safety: strata that a loose norm bound leaves empty
    /// (docs/algorithms.md#faint).
    double faint_noise_limit = 1.0;

    // ---- Lack of fit: may the prior's eigenbasis be used?

    /// The prior fits a stratum that holds, beside the prior's multiple, at most this many times
    /// the expected sampling error of its rows, ... Fitted.
    double sampling_errors_allowed = 4.0;
    /// ... and this many standard deviations of the squared norm of the noise. Statistical:
    /// one-sided normal, 2.3 % of the strata that fit but for noise are refused.
    double lack_of_fit_z = 2.0;
    /// The shared basis is given up where Stein's unbiased risk estimate is this many standard
    /// deviations above what its model expects. Statistical: one-sided normal, 3.2e-5 a stratum.
    double refutation_z = 4.0;

    // ---- Candidates and their mixture.

    /// Degrees of freedom charged to each candidate beyond its own, for being one of many. Fitted.
    double candidate_price = 3.0;
    /// Strength of the second Wiener filter in the shared basis, over that of rows drawn alike.
    /// Fitted, for rows that differ more than those.
    double wide_filter_strength = 8.0;
    /// Kernel half-width of the Stieltjes transform in s sqrt(2 d) d^(-1/3). Statistical: that is
    /// the order of the best widths (Ledoit, Wolf 2020), one the plain choice.
    double kernel_width = 1.0;
    /// Two more candidates have kernels so many times narrower and wider. Fitted.
    double kernel_span = 2.0;
    /// There are candidates with all eigenvalues made equal but the 0, 1, 2, 4, ... greatest, up to
    /// so many. A grid, with an end.
    int most_spikes = 16;
    /// Candidates entry by entry: none; the diagonal; that, and entries moved toward zero. A grid,
    /// with an end.
    int entrywise_candidates = 2;
    /// Entries off the diagonal are moved toward zero by so many deviations of their noise in one
    /// candidate. Fitted, on the kinds of docs/stress.md that were not held back: 1.5 to 3 differ
    /// by half a per cent.
    double entry_threshold = 2.0;

    /// The sum of all strata is estimated as one where Stein's unbiased risk estimate gains by it
    /// so many standard deviations of what noise makes of that gain. Statistical: one-sided normal,
    /// 2.3 % of the sums that gain nothing.
    double pooling_gain_z = 2.0;

    // ---- The error model: the estimated squared error. No estimate depends on these but through
    // the weights of the prior.

    /// Standard deviation of the squared norm of Wishart noise over that of Gaussian noise of the
    /// same scale. Statistical: 1.4 to 1.7 from d = 3 on.
    double wishart_square_deviation = 1.5;
    /// Degrees of freedom that the weights of a mixture in the shared basis cost beyond the
    /// multiple's own. Fitted, on estimated over true errors in some 30 settings.
    double mixture_weights_freedom = 0.5;
    /// How far the model's squared error may be from Stein's unbiased risk estimate, in standard
    /// deviations of that. Statistical: two-sided normal, 4.6 % of models that are true are moved.
    double model_reach_z = 2.0;
    /// A stratum by itself: s^2 div weighs so many standard deviations of Stein's estimate, Stein's
    /// weighs div. Fitted, as above; Wishart noise by itself.
    double stein_caution_gaussian = 3.0;
    double stein_caution_wishart = 1.0;
    /// The model mixes the strengths 1, 4, ..., 4^k of the rows' sampling error. A grid, with an
    /// end; under Wishart noise k = 0, because the squares of its entries go together and would
    /// pass for strengths far up.
    int strength_steps_gaussian = 10;
    int strength_steps_wishart = 0;
    /// Prior odds of each strength against the one before. Fitted, as above.
    double strength_odds = 0.25;
};

}  // namespace dpcov::detail
