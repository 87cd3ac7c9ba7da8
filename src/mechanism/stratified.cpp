#include "mechanism/stratified.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "estimate/covariance_estimate.hpp"
#include "estimate/detection.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/rows_again.hpp"
#include "mechanism/rows_plan.hpp"
#include "mechanism/strata_draws.hpp"
#include "mechanism/strata_task.hpp"
#include "mechanism/two_passes.hpp"
#include "mechanism/view.hpp"
#include "privacy/budget_cut.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {
namespace {

// Of 256 parts of the budget.
constexpr unsigned histogram_parts = 5;
constexpr unsigned parts_after_histogram = 256 - histogram_parts;

// n by the histogram: not what sums are divided by, but enough to choose strata. Where there are
// few rows the noise of all bins together may hide them; those in bins that stand out are there
// anyway.
RowCount rows_of(const NoisyHistogram& histogram) {
    constexpr double stands_out = 3.0;  // z-score
    const auto& counts = histogram.counts;
    const double least = stands_out * histogram.deviation;
    const double seen = std::accumulate(
        counts.begin(), counts.end(), 0.0,
        [least](double sum, double count) { return count > least ? sum + count : sum; });
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    return row_count(std::fmax(all, seen),
                     histogram.deviation * std::sqrt(static_cast<double>(counts.size())));
}

// As many rows as that allows.
RowCount most_rows(RowCount rows) {
    constexpr double reach = 4.0;  // z-score
    rows.value += reach * rows.deviation;
    return rows;
}

template <class Share>
Release release(const StrataTask<Share>& task, const View& view, const JointQuery& query,
                const std::optional<RowCount>& rows, Share budget) {
    const ReleaseOptions& options = task.options;
    const Share spent = task.meter.spend(
        "strata", budget,
        name_of(shape_of(budget)) + " on " + name_of(query) +
            " of every stratum of norms that these numbers tell to take" +
            (query.is_joint() || options.keep_statistics ? ", and of all other rows together"
                                                         : "") +
            (view.partition.extended
                 ? "; one row is in one stratum at most, or in two in part, by no "
                   "more than a whole row in one"
                 : "; one row is in one stratum at most"));
    auto [moment, estimate] =
        draw_strata(view.secret, options.neighbours,
                    {view.partition, query, rows, options.keep_statistics}, spent, task.random);
    if (options.keep_statistics) {
        estimate.statistics.norms = view.histogram;
    }
    return make_release(moment, options, task.meter, std::move(estimate));
}

// Whether nothing could show, whatever the rows and their norms; but the mean may, where no second
// moment does. Public, if the number of rows is.
template <class Share>
bool nothing_can_show(const CountedMoment& moment, const JointQuery& query, Share for_strata) {
    const PartitionFacts facts = partition_facts(moment, query, for_strata, PartitionTuning{});
    return query.mean_weight == 0 &&
           is_provably_undetectable(facts.columns, facts.noise_deviation_at_radius_one, Tuning{});
}

// No row, no stratum and no mean. `rest` of the budget was left.
template <class Share>
Release undetectable(const StrataTask<Share>& task, const CountedMoment& moment, Share rest) {
    if (task.options.neighbours == Neighbours::add_remove) {
        // A noisy number of rows says so, and is paid for: so is all of the budget, by the
        // accountant.
        static_cast<void>(task.meter.spend(
            "strata", rest,
            name_of(shape_of(rest)) +
                " that was not drawn: by the noisy number of rows nothing could show in it"));
    }  // else public facts say so, and it costs nothing
    return make_release(moment, task.options, task.meter, no_estimate(moment.secret.layout()));
}

// Where n is public, or had apart, before all else.
template <class Share>
Release with_known_count(const StrataTask<Share>& task, const ReleasedRows& secret,
                         const JointQuery& query) {
    const auto [moment, rest] = count_rows(*secret, task.options, task.meter, task.random);
    const Share at_first = parts_of(rest, parts_after_histogram);
    if (nothing_can_show(moment, query, at_first)) {
        return undetectable(task, moment, rest);
    }
    NoisyHistogram histogram = draw_histogram(task, *secret, parts_of(rest, histogram_parts));
    const ChosenRows choice =
        choose_rows(task,
                    view_of(secret, std::move(histogram),
                            partition_facts(moment, query, at_first, task.tuning)),
                    query, moment.rows, rest, parts_after_histogram);
    return release(task, choice.view, choice.query, std::optional(moment.rows),
                   parts_of(rest, choice.parts));
}

// Where n is private and the strata can count their rows.
template <class Share>
Release with_free_count(const StrataTask<Share>& task, const ReleasedRows& secret,
                        const JointQuery& query) {
    const Share budget = task.meter.total();
    const Neighbours neighbours = task.options.neighbours;
    const Share at_first = parts_of(budget, parts_after_histogram);
    NoisyHistogram histogram = draw_histogram(task, *secret, parts_of(budget, histogram_parts));
    const CountedMoment moment{*secret, neighbours, rows_of(histogram)};
    if (nothing_can_show({*secret, neighbours, most_rows(moment.rows)}, query, at_first)) {
        return undetectable(task, moment, at_first);
    }
    ChosenRows choice = choose_rows(task,
                                    view_of(secret, std::move(histogram),
                                            partition_facts(moment, query, at_first, task.tuning)),
                                    query, moment.rows, budget, parts_after_histogram);
    const Share for_strata = parts_of(budget, choice.parts);
    const std::optional<double> share =
        share_for_rows(choice.view.prediction, choice.rows, secret->layout().columns, choice.query,
                       choice.view.partition.strata.size() + 1, for_strata);
    if (!share) {
        return release(task, choice.view, choice.query, std::nullopt, for_strata);
    }
    choice.query.counts = false;
    constexpr unsigned most_for_rows = 32;
    const auto [for_rows, rest] = cut(for_strata, *share, most_for_rows);
    const RowCount rows = noisy_count(
        *choice.view.secret,
        task.meter.spend("rows", for_rows, Noise<Share>::name() + " on the number of rows"),
        task.random);
    return release(task, choice.view, choice.query, std::optional(rows), rest);
}

template <class Share>
Release stratified_within(const PartitionTuning& tuning, const ReleasedRows& secret, Share budget,
                          const ReleaseOptions& options, RandomSource& random) {
    BudgetMeter<Share> meter(budget);
    const StrataTask<Share> task{options, random, meter, tuning};
    const JointQuery query = joint_query(secret->layout().columns, options, budget);
    if (query.mean_weight > 0 && may_read_again(secret->layout(), options)) {
        // That there is too little memory for it is said before anything is charged.
        const SecretMoment trial(secret->layout());
    }
    return query.counts ? with_free_count(task, secret, query)
                        : with_known_count(task, secret, query);
}

}  // namespace

Release stratified_cov_with(const PartitionTuning& tuning, const ReleasedRows& rows,
                            const Budget& budget, const ReleaseOptions& options,
                            RandomSource& random) {
    return std::visit(
        [&](auto share) { return stratified_within(tuning, rows, share, options, random); },
        budget);
}

Release stratified_cov(const ReleasedRows& rows, const Budget& budget,
                       const ReleaseOptions& options, RandomSource& random) {
    return stratified_cov_with({}, rows, budget, options, random);
}

}  // namespace dpcov::detail
