#include "mechanism/two_passes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "mechanism/rough_mean.hpp"
#include "mechanism/rough_stretch.hpp"
#include "mechanism/rows_again.hpp"

namespace dpcov::detail {
namespace {

// Of 256 parts of the budget. Few long rows are easily lost in the second histogram.
constexpr unsigned rough_rows_parts = 2;
constexpr unsigned rough_mean_parts = 10;
constexpr unsigned rough_stretch_parts = 8;
constexpr unsigned second_histogram_parts = 15;

// In half-ranges. A mean that is rougher is not worth its share.
constexpr double roughest_mean = 0.25;

// What the mean is weighed for at least, however near the origin it is: it is released, too.
constexpr double least_squared_mean = 0.2;

// In 64ths, the sum's weight about a rough mean. There the sum alone tells the mean: about the
// midpoints the second moment does, too, for it holds the square of a long mean. From here on one
// percent more noise in the covariance takes less than ten percent of its noise off the mean
// (docs/research-log.md#mean-weight).
constexpr unsigned least_mean_weight = 14;

// Of `first`'s rows: what is known of them, and of the budget.
template <class Share>
struct Start {
    const StrataTask<Share>& task;
    const SecretMoment& secret;
    const JointQuery& query;
    Share budget;

    [[nodiscard]] std::size_t columns() const { return secret.layout().columns; }
    [[nodiscard]] Neighbours neighbours() const { return task.options.neighbours; }
    [[nodiscard]] double deviation_of_mean(const RowCount& rows) const {
        return rough_mean_deviation(secret.layout(), neighbours(), rows.value,
                                    parts_of(budget, rough_mean_parts));
    }
    [[nodiscard]] Share spend(const char* stage, unsigned parts, const char* on) const {
        return task.meter.spend(stage, parts_of(budget, parts), Noise<Share>::name() + on);
    }
    /// For a mean of that square, in units of a view's main radius squared.
    [[nodiscard]] JointQuery query_for(double squared_mean) const {
        JointQuery best = query;
        if (best.mean_weight > 0) {
            best.mean_weight =
                mean_weight(neighbours(), columns(),
                            std::clamp(squared_mean, least_squared_mean, 1.0), task.meter.total());
        }
        return best;
    }
};

template <class Share>
bool is_worth_a_second_pass(const Start<Share>& start, const RowCount& rows) {
    return start.query.mean_weight > 0 &&
           may_read_again(start.secret.layout(), start.task.options) &&
           start.deviation_of_mean(rows) < roughest_mean;
}

// What a first look tells.
struct FirstLook {
    RowCount rows;
    unsigned parts = 0;          // of the budget, that it spent
    std::vector<double> origin;  // none: there is nothing to be gained from another
    std::vector<double> stretch = {1.0};
    /// Of the rows about the origin, stretched, at most, but for noise of three deviations.
    double greatest_trace = HUGE_VAL;
};

template <class Share>
FirstLook look(const Start<Share>& start, const RowCount& roughly) {
    RandomSource& random = start.task.random;
    FirstLook seen;
    seen.rows = roughly;
    const auto spend = [&](const char* stage, unsigned parts, const char* on) {
        seen.parts += parts;
        return start.spend(stage, parts, on);
    };
    // The histogram tells it too roughly to divide by.
    if (start.query.counts) {
        seen.rows = noisy_count(
            start.secret,
            spend("rows", rough_rows_parts, " on the number of rows, for a rough mean"), random);
    }
    seen.origin = rough_mean(
        start.secret, start.neighbours(), seen.rows.value,
        spend("origin", rough_mean_parts, " on the mean about which the rows are read again"),
        random);
    if (start.columns() == 1) {
        return seen;  // one column's noise is stretched with it
    }
    // Where noise hides the mean it does not hide how much columns vary.
    seen.origin.resize(start.columns(), 0.0);
    RoughStretch rough =
        rough_stretch(start.secret, seen.rows, seen.origin, start.deviation_of_mean(seen.rows),
                      spend("stretch", rough_stretch_parts,
                            " on the squares of each column, by which it is stretched then"),
                      random);
    seen.stretch = std::move(rough.factors);
    seen.greatest_trace = rough.trace + 3.0 * rough.trace_deviation;
    return seen;
}

double squared_length(const std::vector<double>& vector) {
    return std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0);
}

template <class Share>
ChosenRows choose(const Start<Share>& start, View first, const RowCount& roughly, unsigned left) {
    const auto keep_first = [&](const RowCount& rows) -> ChosenRows {
        const JointQuery best = start.query_for(first.prediction.squared_mean);
        return {std::move(first), best, rows, left};
    };
    if (!is_worth_a_second_pass(start, roughly)) {
        return keep_first(roughly);
    }
    const FirstLook seen = look(start, roughly);
    left -= seen.parts;
    if (seen.origin.empty()) {
        return keep_first(seen.rows);
    }
    const ReleasedRows again =
        rows_again(start.secret, seen.origin, seen.stretch, start.task.options);
    left -= second_histogram_parts;
    NoisyHistogram histogram = draw_histogram(
        start.task, *again, parts_of(start.budget, second_histogram_parts), "norms, second pass");

    const Share for_strata = parts_of(start.budget, left);
    const auto facts_of = [&](const SecretMoment& secret, const JointQuery& query) {
        PartitionFacts facts = partition_facts({secret, start.neighbours(), seen.rows}, query,
                                               for_strata, start.task.tuning);
        if (facts.about_mean) {
            facts.greatest_trace = seen.greatest_trace / std::pow(secret.layout().norm_bound, 2);
        }
        return facts;
    };
    View second = view_of(again, std::move(histogram), facts_of(*again, start.query));
    const auto query_of = [&](const View& view, double squared_mean) {
        JointQuery best = start.query_for(squared_mean / view.squared_main_radius());
        if (&view == &second) {
            best.mean_weight = std::max(best.mean_weight, least_mean_weight);
        }
        return best;
    };
    const auto error_of = [&](const View& view, double squared_mean) {
        const JointQuery best = query_of(view, squared_mean);
        return expected_squared_error(view, facts_of(*view.secret, best), best, squared_mean);
    };
    // By how much that makes a squared length greater, where no direction is known.
    const double longer = squared_length(seen.stretch) / static_cast<double>(seen.stretch.size());
    // The mean's square about the midpoints, and what noise leaves of it about the rough mean.
    const double hidden =
        static_cast<double>(start.columns()) * std::pow(start.deviation_of_mean(seen.rows), 2);
    const double square = std::fmax(squared_length(seen.origin), hidden);
    const double square_left = hidden * longer;
    const bool errs_less =
        error_of(second, square_left) < error_of(first, square) * longer * longer;
    const JointQuery best = errs_less ? query_of(second, square_left) : query_of(first, square);
    (errs_less ? first : second).secret.forget_all();
    return {std::move(errs_less ? second : first), best, seen.rows, left};
}

}  // namespace

template <class Share>
ChosenRows choose_rows(const StrataTask<Share>& task, View first, const JointQuery& query,
                       const RowCount& rows, Share budget, unsigned parts) {
    const ReleasedRows secret = first.secret;
    return choose(Start<Share>{task, *secret, query, budget}, std::move(first), rows, parts);
}

template ChosenRows choose_rows(const StrataTask<Rho>&, View, const JointQuery&, const RowCount&,
                                Rho, unsigned);
template ChosenRows choose_rows(const StrataTask<Epsilon>&, View, const JointQuery&,
                                const RowCount&, Epsilon, unsigned);

}  // namespace dpcov::detail
