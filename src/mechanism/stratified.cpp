#include "mechanism/stratified.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "estimate/covariance_estimate.hpp"
#include "estimate/detection.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/rough_mean.hpp"
#include "mechanism/rough_stretch.hpp"
#include "mechanism/rows_again.hpp"
#include "mechanism/rows_plan.hpp"
#include "mechanism/strata_draws.hpp"
#include "mechanism/view.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {
namespace {

// Of 256 parts of the budget, those that the histogram of norms gets, the number of rows where only
// that tells it, the rough mean, the stretch of columns, and the histogram of norms about that
// mean: few long rows are easily lost there.
constexpr unsigned histogram_parts = 5;
constexpr unsigned second_histogram_parts = 15;
constexpr unsigned rough_rows_parts = 2;
constexpr unsigned rough_mean_parts = 10;
constexpr unsigned rough_stretch_parts = 8;
constexpr unsigned log2_parts = 8;
constexpr unsigned parts_after_histogram = (1U << log2_parts) - histogram_parts;

// In half-ranges. A mean that is rougher is not worth its share.
constexpr double roughest_mean = 0.25;

// What the mean is weighed for at least, however near the origin it is: it is released, too.
constexpr double least_squared_mean = 0.2;

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
std::string noise_name(Share budget) {
    return shape_of(budget) == NoiseShape::gaussian ? "Gaussian noise" : "Wishart noise";
}

// What is left for the strata, of 256 parts of `budget`.
template <class Share>
Share left_of(Share budget, unsigned parts) {
    return budget.share(parts, log2_parts);
}

// Where every function below draws its noise, and what it tells that it spends.
template <class Share>
struct Task {
    const ReleaseOptions& options;
    RandomSource& random;
    BudgetMeter<Share>& meter;
};

// Rows and strata to release, and what is asked of them.
struct Choice {
    View view;
    JointQuery query;
    unsigned parts = 0;  ///< of 256 of the budget, that are left for the strata
};

// For a mean of that square, in units of the view's main radius squared.
template <class Share>
JointQuery query_for(const Task<Share>& task, JointQuery query, std::size_t columns,
                     double squared_mean) {
    if (query.mean_weight > 0) {
        query.mean_weight =
            mean_weight(task.options.neighbours, columns,
                        std::clamp(squared_mean, least_squared_mean, 1.0), task.meter.total());
    }
    return query;
}

template <class Share>
NoisyHistogram draw_histogram(const Task<Share>& task, const SecretMoment& secret, Share budget,
                              unsigned parts) {
    const Share share =
        task.meter.spend("norms", left_of(budget, parts),
                         Noise<Share>::name() + " on the number of rows in each bin of norms");
    return noisy_histogram({secret, task.options.neighbours, {}}, share, task.random);
}

// By how much that makes a squared length greater, where no direction is known.
double mean_square(const std::vector<double>& stretch) {
    return std::inner_product(stretch.begin(), stretch.end(), stretch.begin(), 0.0) /
           static_cast<double>(stretch.size());
}

// The rows about the midpoints, or about a rough mean and stretched, as promises less error of the
// stretched columns, with the query that is best for them.
template <class Share>
Choice choose_view(const Task<Share>& task, View first, const JointQuery& query, RowCount rows,
                   Share budget) {
    const ReleaseOptions& options = task.options;
    const SecretMoment& secret = *first.secret;
    const std::size_t d = secret.layout().columns;
    unsigned parts = parts_after_histogram;
    const auto about_midpoints = [&] {
        const JointQuery best = query_for(task, query, d, first.prediction.squared_mean);
        return Choice{std::move(first), best, parts};
    };

    const Share rough = left_of(budget, rough_mean_parts);
    const auto deviation = [&] {
        return rough_mean_deviation(secret.layout(), options.neighbours, rows.value, rough);
    };
    if (query.mean_weight == 0 || !may_read_again(secret.layout(), options) ||
        !(deviation() < roughest_mean)) {
        return about_midpoints();
    }
    if (query.counts) {
        const Share for_rows =
            task.meter.spend("rows", left_of(budget, rough_rows_parts),
                             Noise<Share>::name() + " on the number of rows, for a rough mean");
        const NoisyCount counted = noisy_count(secret, for_rows, task.random);
        rows = row_count(counted.value, counted.deviation);
        parts -= rough_rows_parts;
    }
    const Share for_origin = task.meter.spend(
        "origin", rough, Noise<Share>::name() + " on the mean about which the rows are read again");
    parts -= rough_mean_parts;
    const std::vector<double> origin =
        rough_mean(secret, options.neighbours, rows.value, for_origin, task.random);
    if (origin.empty()) {
        return about_midpoints();
    }
    std::vector<double> stretch = {1.0};
    if (d > 1) {  // one column's noise is stretched with it
        const Share for_stretch = task.meter.spend(
            "stretch", left_of(budget, rough_stretch_parts),
            Noise<Share>::name() + " on the squares of each column, by which it is stretched then");
        parts -= rough_stretch_parts;
        stretch = rough_stretch(secret, rows.value, origin, deviation(), for_stretch, task.random);
    }
    const std::shared_ptr<const SecretMoment> again = rows_again(secret, origin, stretch, options);
    NoisyHistogram histogram = draw_histogram(task, *again, budget, second_histogram_parts);
    parts -= second_histogram_parts;

    const Share for_strata = left_of(budget, parts);
    View second = view_of(again, std::move(histogram),
                          partition_facts({*again, options.neighbours, rows}, query, for_strata));
    // The mean's square about the midpoints, and about the rough mean, as either is stretched.
    const double square = std::inner_product(origin.begin(), origin.end(), origin.begin(), 0.0);
    const double longer = mean_square(stretch);
    const double square_left = static_cast<double>(d) * deviation() * deviation() * longer;
    const auto query_of = [&](const View& view, double squared_mean) {
        return query_for(task, query, d, squared_mean / view.squared_main_radius());
    };
    const auto error_of = [&](const View& view, double squared_mean) {
        const JointQuery best = query_of(view, squared_mean);
        return expected_squared_error(
            view, partition_facts({*view.secret, options.neighbours, rows}, best, for_strata), best,
            squared_mean);
    };
    if (error_of(second, square_left) < error_of(first, square) * longer * longer) {
        const JointQuery best = query_of(second, square_left);
        return {std::move(second), best, parts};
    }
    const JointQuery best = query_of(first, square);
    return {std::move(first), best, parts};
}

// From strata with all of that budget. Without `rows` they count.
template <class Share>
Release release(const Task<Share>& task, const View& view, const JointQuery& query,
                const std::optional<RowCount>& rows, Share budget) {
    const ReleaseOptions& options = task.options;
    const Share spent = task.meter.spend(
        "strata", budget,
        noise_name(budget) + " on " + name_of(query) +
            " of every stratum of norms that these numbers tell to take" +
            (query.is_joint() || options.keep_statistics ? ", and of all other rows together"
                                                         : "") +
            (view.partition.extended
                 ? "; one row is in one stratum at most, or in two in part, by no "
                   "more than a whole row in one"
                 : "; one row is in one stratum at most"));
    auto [moment, estimate] =
        draw_strata({*view.secret, options.neighbours, {}}, rows, view.partition, query, spent,
                    options.keep_statistics, task.random);
    return make_release(moment, options, task.meter, std::move(estimate));
}

// Whether nothing could show, whatever the rows and their norms; but the mean may, where no second
// moment does. Public, if the number of rows is.
template <class Share>
bool nothing_can_show(const CountedMoment& moment, const JointQuery& query, Share for_strata) {
    const PartitionFacts facts = partition_facts(moment, query, for_strata);
    return query.mean_weight == 0 &&
           is_provably_undetectable(facts.columns, facts.noise_deviation_at_radius_one, Tuning{});
}

// No row, no stratum and no mean. `rest` of the budget was left.
template <class Share>
Release undetectable(const Task<Share>& task, const CountedMoment& moment, Share rest) {
    if (task.options.neighbours == Neighbours::add_remove) {
        // A noisy number of rows says so, and is paid for: so is all of the budget, by the
        // accountant.
        static_cast<void>(task.meter.spend(
            "strata", rest,
            noise_name(rest) +
                " that was not drawn: by the noisy number of rows nothing could show in it"));
    }  // else public facts say so, and it costs nothing
    return make_release(moment, task.options, task.meter, no_estimate(moment.secret.layout()));
}

// Where n is public, or had apart, before all else.
template <class Share>
Release with_known_count(const Task<Share>& task, std::shared_ptr<const SecretMoment> secret,
                         const JointQuery& query) {
    const auto [moment, rest] = count_rows(*secret, task.options, task.meter, task.random);
    const Share at_first = left_of(rest, parts_after_histogram);
    if (nothing_can_show(moment, query, at_first)) {
        return undetectable(task, moment, rest);
    }
    NoisyHistogram histogram = draw_histogram(task, *secret, rest, histogram_parts);
    const Choice choice = choose_view(
        task,
        view_of(std::move(secret), std::move(histogram), partition_facts(moment, query, at_first)),
        query, moment.rows, rest);
    return release(task, choice.view, choice.query, std::optional(moment.rows),
                   left_of(rest, choice.parts));
}

// Where n is private and the strata can count their rows.
template <class Share>
Release with_free_count(const Task<Share>& task, std::shared_ptr<const SecretMoment> secret,
                        const JointQuery& query) {
    const Share budget = task.meter.total();
    const Neighbours neighbours = task.options.neighbours;
    const Share at_first = left_of(budget, parts_after_histogram);
    NoisyHistogram histogram = draw_histogram(task, *secret, budget, histogram_parts);
    const RowCount roughly = rows_of(histogram);
    if (nothing_can_show({*secret, neighbours, most_rows(roughly)}, query, at_first)) {
        return undetectable(task, {*secret, neighbours, roughly}, at_first);
    }
    const std::size_t d = secret->layout().columns;
    const CountedMoment moment{*secret, neighbours, roughly};
    Choice choice = choose_view(
        task, view_of(secret, std::move(histogram), partition_facts(moment, query, at_first)),
        query, roughly, budget);
    const Share for_strata = left_of(budget, choice.parts);
    const RowsPlan plan = rows_plan(choice.view.prediction, roughly, d, choice.query,
                                    choice.view.partition.strata.size() + 1, for_strata);
    if (plan.with_strata) {
        return release(task, choice.view, choice.query, std::nullopt, for_strata);
    }
    choice.query.counts = false;
    const Share for_rows = task.meter.spend("rows", for_strata.share(plan.parts, 6),
                                            Noise<Share>::name() + " on the number of rows");
    const NoisyCount rows = noisy_count(*choice.view.secret, for_rows, task.random);
    return release(task, choice.view, choice.query,
                   std::optional(row_count(rows.value, rows.deviation)),
                   for_strata.share(64 - plan.parts, 6));
}

template <class Share>
Release stratified_within(std::shared_ptr<const SecretMoment> secret, Share budget,
                          const ReleaseOptions& options, RandomSource& random) {
    BudgetMeter<Share> meter(budget);
    const Task<Share> task{options, random, meter};
    const JointQuery query = joint_query(secret->layout().columns, options, budget);
    if (query.mean_weight > 0 && may_read_again(secret->layout(), options)) {
        // That there is too little memory for it is said before anything is charged.
        const SecretMoment trial(secret->layout());
    }
    return query.counts ? with_free_count(task, std::move(secret), query)
                        : with_known_count(task, std::move(secret), query);
}

}  // namespace

Release stratified_cov(const SecretMoment& secret, const Budget& budget,
                       const ReleaseOptions& options, RandomSource& random) {
    // Views share what they hold; these rows are the caller's.
    const std::shared_ptr<const SecretMoment> rows(std::shared_ptr<void>(), &secret);
    return std::visit([&](auto share) { return stratified_within(rows, share, options, random); },
                      budget);
}

}  // namespace dpcov::detail
