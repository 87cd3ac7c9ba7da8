#include "mechanism/stratified.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "estimate/covariance_estimate.hpp"
#include "estimate/detection.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/rough_mean.hpp"
#include "mechanism/sensitivity.hpp"
#include "mechanism/strata_draws.hpp"
#include "moment/secret_door.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {
namespace {

// Of 256 parts of the budget, those that the histogram of norms gets, the rough mean, and the
// histogram of norms about that: few long rows are easily lost there.
constexpr unsigned histogram_parts = 5;
constexpr unsigned second_histogram_parts = 15;
constexpr unsigned rough_mean_parts = 10;
constexpr unsigned log2_parts = 8;

// In half-ranges. A mean that is rougher is not worth its share.
constexpr double roughest_mean = 0.25;

// What the mean is weighed for at least, however near the origin it is: it is released, too.
constexpr double least_squared_mean = 0.2;

// Of a stratum that reaches up to the norm bound, in its square.
template <class Share>
double noise_deviation_at_bound(const CountedMoment& moment, const JointQuery& query,
                                Share budget) {
    return noise_size(moment.neighbours, moment.secret.layout().columns, query, budget).diagonal /
           moment.rows.value;
}

// Whether no stratum could be detected, whatever its rows and its radius. Public.
template <class Share>
bool is_provably_undetectable(const CountedMoment& moment, const JointQuery& query, Share budget) {
    const auto d = static_cast<Eigen::Index>(moment.secret.layout().columns);
    return is_provably_undetectable(d, noise_deviation_at_bound(moment, query, budget), Tuning{});
}

CovarianceEstimate nothing(const CountedMoment& moment) {
    const auto d = static_cast<Eigen::Index>(moment.secret.layout().columns);
    CovarianceEstimate estimate;
    estimate.covariance = Eigen::MatrixXd::Zero(d, d);
    return estimate;
}

// How the number of rows is had where it is private.
struct RowsPlan {
    bool with_strata = true;  ///< of every stratum, at no cost; else apart
    unsigned parts = 0;       ///< of 64 of the strata's budget, for that
};

// What a noisy n adds to the squared error is its relative variance times the squared norm of the
// matrix; what it takes from the budget, the strata lack. `power` p: squared errors fall with the
// budget's (p - 1)-th power. Then the best share is as below, and the error (E^(1/p) + V^(1/p))^p.
RowsPlan rows_plan(const Prediction& predicted, double variance_with_strata, double variance_apart,
                   double power) {
    const double strata = std::pow(predicted.squared_error, 1.0 / power);
    const double rows = std::pow(predicted.squared_norm * variance_apart, 1.0 / power);
    const double with_strata =
        predicted.squared_error + predicted.squared_norm * variance_with_strata;
    if (!(std::pow(strata + rows, power) < with_strata)) {
        return {};
    }
    return {.with_strata = false, .parts = sixty_fourths(rows / (strata + rows), 32)};
}
double error_power(Rho /*budget*/) {
    return 2.0;
}
double error_power(Epsilon /*budget*/) {
    return 3.0;
}

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

// Rows about some origin, and how they would be released by the histogram of their norms.
struct View {
    const SecretMoment* secret = nullptr;
    NoisyHistogram histogram = {};
    Partition partition = {};
    Prediction prediction = {};
};

// One stratified release, step by step.
template <class Share>
class StratifiedRelease {
public:
    StratifiedRelease(const SecretMoment& secret, Share budget, const ReleaseOptions& options,
                      RandomSource& random)
        : secret_(&secret),
          options_(options),
          random_(random),
          meter_(budget),
          query_(joint_query(secret.layout().columns, options, budget)) {}

    Release operator()() {
        if (may_ever_look_again()) {
            // That there is too little memory for it is said before anything is charged.
            const SecretMoment trial(secret_->layout());
        }
        if (query_.counts) {
            return with_free_count();
        }
        const auto [moment, rest] = count_rows(*secret_, options_, meter_, random_);
        if (is_hopeless(moment, strata_of(rest))) {
            return undetectable(moment, rest);
        }
        const View first = view_of(draw_histogram(rest), moment.rows, strata_of(rest));
        const View view = best_view(first, moment.rows, rest);
        return release(moment.rows, view.partition, strata_of(rest));
    }

private:
    // What is left of a budget for the strata.
    [[nodiscard]] Share strata_of(Share budget) const {
        return budget.share(parts_left_, log2_parts);
    }

    Release with_free_count() {
        const Share budget = meter_.total();
        const NoisyHistogram histogram = draw_histogram(budget);
        const RowCount roughly = rows_of(histogram);
        if (is_hopeless({*secret_, options_.neighbours, most_rows(roughly)}, strata_of(budget))) {
            return undetectable({*secret_, options_.neighbours, roughly}, strata_of(budget));
        }
        const View first = view_of(histogram, roughly, strata_of(budget));
        const View view = best_view(first, roughly, budget);
        const Share for_strata = strata_of(budget);
        const RowsPlan plan =
            plan_for(view.prediction, roughly, view.partition.strata.size() + 1, for_strata);
        if (plan.with_strata) {
            return release(std::nullopt, view.partition, for_strata);
        }
        query_.counts = false;
        const Share for_rows = meter_.spend("rows", for_strata.share(plan.parts, 6),
                                            Noise<Share>::name() + " on the number of rows");
        const NoisyCount rows = noisy_count(*secret_, for_rows, random_);
        return release(row_count(rows.value, rows.deviation), view.partition,
                       for_strata.share(64 - plan.parts, 6));
    }

    // Nothing could show, whatever the rows; but the mean may, where no second moment does.
    [[nodiscard]] bool is_hopeless(const CountedMoment& moment, Share for_strata) const {
        return query_.mean_weight == 0 && is_provably_undetectable(moment, query_, for_strata);
    }

    // With a mean of that square, in units of the view's main radius squared.
    [[nodiscard]] JointQuery query_for(double squared_mean) const {
        JointQuery query = query_;
        if (query.mean_weight > 0) {
            query.mean_weight =
                mean_weight(options_.neighbours, secret_->layout().columns,
                            std::clamp(squared_mean, least_squared_mean, 1.0), meter_.total());
        }
        return query;
    }

    // What a histogram tells of the rows in secret_: the strata to take, and what they would err
    // by.
    [[nodiscard]] View view_of(NoisyHistogram histogram, const RowCount& rows,
                               Share for_strata) const {
        View view{secret_, std::move(histogram)};
        const PartitionFacts about = facts(rows, query_, for_strata);
        view.partition = choose_partition(view.histogram, about);
        view.prediction = predicted(view.histogram, about, view.partition.strata);
        return view;
    }

    // The expected squared error of the covariance, if the squared length of the mean is
    // squared_mean.
    [[nodiscard]] double expected_error(const View& view, double squared_mean, const RowCount& rows,
                                        Share for_strata) const {
        const double squared_bound = std::pow(view.secret->layout().norm_bound, 2);
        const JointQuery query = query_for(squared_mean / squared_main_radius(view));
        return steady_squared_error(view.histogram, facts(rows, query, for_strata),
                                    view.partition.strata,
                                    {.squared_weight = query.squared_weight(),
                                     .squared_mean = squared_mean / squared_bound}) *
               squared_bound * squared_bound;
    }

    // Whether the rows may be read again about a rough mean, however many they are. Public.
    [[nodiscard]] bool may_ever_look_again() const {
        const MomentLayout& layout = secret_->layout();
        return options_.read_again && query_.mean_weight > 0 && layout.origin.empty() &&
               implied_norm_bound(layout.schema) == layout.norm_bound;
    }
    // Public, if `rows` is.
    [[nodiscard]] bool may_look_again(const RowCount& rows, Share rough) const {
        return may_ever_look_again() && rough_mean_deviation(secret_->layout(), options_.neighbours,
                                                             rows.value, rough) < roughest_mean;
    }

    // The rows about the midpoints or about a rough mean, as promises less error; the query then
    // asks for the mean as is best for them.
    View best_view(View first, const RowCount& rows, Share budget) {
        const MomentLayout& layout = secret_->layout();
        const Share rough = budget.share(rough_mean_parts, log2_parts);
        if (!may_look_again(rows, rough)) {
            query_ = query_for(first.prediction.squared_mean);
            return first;
        }
        parts_left_ -= rough_mean_parts;
        meter_.spend("origin", rough,
                     Noise<Share>::name() + " on the mean about which the rows are read again");
        const std::vector<double> origin =
            rough_mean(*secret_, options_.neighbours, rows.value, rough, random_);
        if (origin.empty()) {
            query_ = query_for(first.prediction.squared_mean);
            return first;
        }
        const double squared_length =
            std::inner_product(origin.begin(), origin.end(), origin.begin(), 0.0);
        const double deviation =
            rough_mean_deviation(layout, options_.neighbours, rows.value, rough);
        const double squared_rest = static_cast<double>(layout.columns) * deviation * deviation;
        read_again_about(origin);
        parts_left_ -= second_histogram_parts;
        secret_ = again_secret_.get();
        View second =
            view_of(draw_histogram(budget, second_histogram_parts), rows, strata_of(budget));
        const double about_midpoints =
            expected_error(first, squared_length, rows, strata_of(budget));
        const double about_mean = expected_error(second, squared_rest, rows, strata_of(budget));
        if (about_mean < about_midpoints) {
            query_ = query_for(squared_rest / squared_main_radius(second));
            return second;
        }
        secret_ = first.secret;
        query_ = query_for(squared_length / squared_main_radius(first));
        return first;
    }

    void read_again_about(const std::vector<double>& origin) {
        MomentLayout layout = secret_->layout();
        layout.norm_bound = 0.0;
        layout.origin = origin;
        again_.emplace(layout);
        layout = again_->layout();
        options_.read_again(*again_);
        if (!(again_->layout() == layout)) {
            throw UsageError("the rows were read again into another moment than was handed over");
        }
        again_secret_ = SecretDoor::open(*again_);
        // Where n is private nobody may tell.
        if (options_.neighbours == Neighbours::replace &&
            again_secret_->rows() != secret_->rows()) {
            throw DataError("the table had " + std::to_string(secret_->rows()) +
                            " rows, and when it was read again " +
                            std::to_string(again_secret_->rows()) +
                            "; it must not change in between");
        }
    }

    [[nodiscard]] static double squared_main_radius(const View& view) {
        const double radius = view.prediction.main_radius * view.secret->layout().norm_bound;
        return radius * radius;
    }

    Release undetectable(const CountedMoment& moment, Share rest) {
        if (options_.neighbours == Neighbours::add_remove) {
            // A noisy number of rows says so, and is paid for: so is all of the budget, by the
            // accountant.
            meter_.spend("strata", rest,
                         noise_name() +
                             " that was not drawn: by the noisy number of rows nothing could "
                             "show in it");
        }  // else public facts say so, and it costs nothing
        return make_release(moment, options_, meter_, nothing(moment));
    }

    NoisyHistogram draw_histogram(Share rest, unsigned parts = histogram_parts) {
        const Share share =
            meter_.spend("norms", rest.share(parts, log2_parts),
                         Noise<Share>::name() + " on the number of rows in each bin of norms");
        return noisy_histogram({*secret_, options_.neighbours, {}}, share, random_);
    }

    [[nodiscard]] PartitionFacts facts(const RowCount& rows, const JointQuery& query,
                                       Share budget) const {
        return {.columns = static_cast<Eigen::Index>(secret_->layout().columns),
                .rows = rows.value,
                .noise = shape_of(budget),
                .noise_deviation_at_radius_one =
                    noise_deviation_at_bound({*secret_, options_.neighbours, rows}, query, budget)};
    }

    [[nodiscard]] RowsPlan plan_for(const Prediction& prediction, const RowCount& rows,
                                    std::size_t strata, Share budget) const {
        const auto relative = [&](double deviation) { return std::pow(deviation / rows.value, 2); };
        const NoiseSize size =
            noise_size(options_.neighbours, secret_->layout().columns, query_, budget);
        return rows_plan(prediction, static_cast<double>(strata) * relative(size.rows),
                         relative(Noise<Share>(row_count_sensitivity(), budget).deviation()),
                         error_power(budget));
    }

    // From strata with all of that budget. Without `rows` they count.
    Release release(const std::optional<RowCount>& rows, const Partition& partition, Share budget) {
        meter_.spend(
            "strata", budget,
            noise_name() + " on " + name_of(query_) +
                " of every stratum of norms that these numbers tell to take" +
                (query_.is_joint() || options_.keep_statistics ? ", and of all other rows together"
                                                               : "") +
                (partition.extended
                     ? "; one row is in one stratum at most, or in two in part, by no "
                       "more than a whole row in one"
                     : "; one row is in one stratum at most"));
        auto [moment, estimate] = draw_strata({*secret_, options_.neighbours, {}}, rows, partition,
                                              query_, budget, options_.keep_statistics, random_);
        return make_release(moment, options_, meter_, std::move(estimate));
    }

    [[nodiscard]] std::string noise_name() const {
        return shape_of(meter_.total()) == NoiseShape::gaussian ? "Gaussian noise"
                                                                : "Wishart noise";
    }

    const SecretMoment* secret_;  ///< the rows that are released, about one origin or another
    const ReleaseOptions& options_;
    RandomSource& random_;
    BudgetMeter<Share> meter_;
    JointQuery query_;
    unsigned parts_left_ = (1U << log2_parts) - histogram_parts;  ///< of the budget
    std::optional<SecondMoment> again_ = {};                      ///< the rows, read again
    std::shared_ptr<const SecretMoment> again_secret_ = {};
};

}  // namespace

Release stratified_cov(const SecretMoment& secret, const Budget& budget,
                       const ReleaseOptions& options, RandomSource& random) {
    return std::visit(
        [&](auto share) { return StratifiedRelease(secret, share, options, random)(); }, budget);
}

}  // namespace dpcov::detail
