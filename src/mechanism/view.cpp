#include "mechanism/view.hpp"

#include <cmath>
#include <utility>

#include "mechanism/noise.hpp"
#include "moment/moved_rows.hpp"

namespace dpcov::detail {
namespace {

// Deviations of noise from which on a run of bins holds rows. About a mean rows are much shorter
// than the norm bound, and the bins above them are many: noise is looked at more often. Chosen on
// tables of all kinds (docs/research-log.md#empty-strata).
constexpr double significance_about_midpoints = 3.0;
constexpr double significance_about_mean = 4.0;

}  // namespace

template <class Share>
PartitionFacts partition_facts(const CountedMoment& moment, const JointQuery& query, Share strata) {
    const std::size_t d = moment.secret.layout().columns;
    const auto deviation = [&](Neighbours neighbours) {
        return noise_size(neighbours, d, query, strata).diagonal / moment.rows.value;
    };
    return {.columns = static_cast<Eigen::Index>(d),
            .rows = moment.rows.value,
            .noise = shape_of(strata),
            .noise_deviation_at_radius_one = deviation(moment.neighbours),
            .noise_deviation_of_all_rows =
                deviation(d == 1 && !query.is_joint() ? Neighbours::add_remove : moment.neighbours),
            .squared_mean_weight = query.squared_weight(),
            .counts = query.counts,
            .significance = moves_rows(moment.secret.layout()) ? significance_about_mean
                                                               : significance_about_midpoints};
}

template PartitionFacts partition_facts(const CountedMoment&, const JointQuery&, Rho);
template PartitionFacts partition_facts(const CountedMoment&, const JointQuery&, Epsilon);

double View::squared_main_radius() const {
    return std::pow(prediction.main_radius * secret->layout().norm_bound, 2);
}

View view_of(std::shared_ptr<const SecretMoment> secret, NoisyHistogram histogram,
             const PartitionFacts& facts) {
    Partition partition = choose_partition(histogram, facts);
    const Prediction prediction = predicted(histogram, facts, partition.strata);
    return {.secret = std::move(secret),
            .histogram = std::move(histogram),
            .partition = std::move(partition),
            .prediction = prediction};
}

double expected_squared_error(const View& view, const PartitionFacts& facts,
                              const JointQuery& query, double squared_mean) {
    const double squared_bound = std::pow(view.secret->layout().norm_bound, 2);
    return steady_squared_error(view.histogram, facts, view.partition.strata,
                                {.squared_weight = query.squared_weight(),
                                 .squared_mean = squared_mean / squared_bound}) *
           squared_bound * squared_bound;
}

}  // namespace dpcov::detail
