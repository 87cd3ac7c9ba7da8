// The constants of the choice of strata that somebody chose. What halving, doubling or moving each
// does to errors is measured in docs/tuning.md, by `dpcov-lab partition`.
//
// Where nothing else is said, they were fitted on the kinds of tables of docs/stress.md that were
// not held back. Numbers that only numerical accuracy depends on stand where they are used.
#pragma once

namespace dpcov::detail {

struct PartitionTuning {
    // ---- The histogram: which bins hold rows?

    /// z-score from which on a bin, or a run of bins, holds rows.
    double significance = 3.0;
    /// The same of runs, where rows are about a rough mean: they are much shorter than the norm
    /// bound, and the bins above them are many, so noise is looked at more often. Chosen on tables
    /// of all kinds (docs/research-log.md#empty-strata).
    double significance_about_mean = 4.0;
    /// Rows may be up to so many times as long as the middle of the last bin that the histogram
    /// shows. On tables of people, too, and on wide ones (docs/research-log.md#middle-bin).
    double reach = 1.12;

    // ---- What a partition costs.

    /// The sampling of rows fills D^spread coordinates.
    double spread = 0.5;
    /// Of one more stratum, over the error: time, too.
    double price = 0.002;
    /// Coordinates of noise that each stratum costs at least.
    double stratum_freedom = 4.0;
    /// What strata's shapes differ by, in their trace. This and the three below: on tables of
    /// people, too (docs/research-log.md#partial-rows).
    double mismatch = 0.4;
    /// How much is given on their being alike, where one is extended.
    double alike = 0.25;
    /// Trace of longer rows, at most, over the extended stratum's own.
    double most_elsewhere = 3.0;
    /// Of the error, at most, to extend another stratum than was chosen.
    double worth = 0.95;

    // ---- Above the rows that are seen.

    /// Of the error's root, that may be left out: what is left out adds 2 % at most.
    double negligible_root = 0.2;
    /// How often there are rows beyond those that the histogram shows: where rows about two origins
    /// are compared.
    double seldom = 0.05;

    // ---- Rows that no noise made up.

    /// z-score from which on a run of bins holds rows beyond doubt. Statistical: by noise alone in
    /// at most 2 of 1000 histograms of 136 bins.
    double beyond_doubt = 5.0;
    /// Radii so far apart are worth a stratum more: it has a quarter of the coarser one's noise.
    /// Chosen on tables of people with wide bounds (docs/research-log.md#certain-end).
    double well_below = 1.4;
};

}  // namespace dpcov::detail
