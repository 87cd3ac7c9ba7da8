#include "mechanism/view.hpp"

#include <cmath>
#include <utility>

#include "mechanism/noise.hpp"
#include "moment/moved_rows.hpp"

namespace dpcov::detail {

template <class Share>
PartitionFacts partition_facts(const CountedMoment& moment, const JointQuery& query, Share strata,
                               const PartitionTuning& tuning) {
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
            .about_mean = moves_rows(moment.secret.layout()),
            .tuning = tuning};
}

template PartitionFacts partition_facts(const CountedMoment&, const JointQuery&, Rho,
                                        const PartitionTuning&);
template PartitionFacts partition_facts(const CountedMoment&, const JointQuery&, Epsilon,
                                        const PartitionTuning&);

double View::squared_main_radius() const {
    return std::pow(prediction.main_radius * secret->layout().norm_bound, 2);
}

View view_of(ReleasedRows secret, NoisyHistogram histogram, const PartitionFacts& facts) {
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
