// Rows about some origin, and how a stratified release would take them by the noisy histogram of
// their norms: what is compared where rows may be read again about a rough mean. Nothing is drawn
// here.
#pragma once

#include "mechanism/counted_moment.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/released_rows.hpp"
#include "partition/partition.hpp"

namespace dpcov::detail {

/// What is public of a stratified release of that budget, which asks that query of every stratum,
/// and how its strata are chosen.
template <class Share>
[[nodiscard]] PartitionFacts partition_facts(const CountedMoment& moment, const JointQuery& query,
                                             Share strata, const PartitionTuning& tuning);

struct View {
    ReleasedRows secret;  ///< SECRET; the rest is post-processing
    NoisyHistogram histogram;
    Partition partition;
    Prediction prediction;

    /// Of the stratum that has most of the trace, in units of the input squared.
    [[nodiscard]] double squared_main_radius() const;
};

/// The strata to take by a histogram, and what they would err by.
[[nodiscard]] View view_of(ReleasedRows secret, NoisyHistogram histogram,
                           const PartitionFacts& facts);

/// The expected squared error of the covariance of these strata, were the squared length of the
/// mean about the view's origin `squared_mean`, in units of the input to the fourth.
[[nodiscard]] double expected_squared_error(const View& view, const PartitionFacts& facts,
                                            const JointQuery& query, double squared_mean);

}  // namespace dpcov::detail
