// What a partition of norms is expected to cost where there is one column. Post-processing: nothing
// here sees un-noised data. Derivation: docs/algorithms.md#partition.
#pragma once

#include <cstddef>
#include <vector>

#include "partition/partition.hpp"

namespace dpcov::detail {

/// What strata err by where there is one column, which has no shape that they could share: the
/// noise of all that is drawn. Keeps a reference to the facts.
class OneColumnError {
public:
    /// Both in units of the squared norm bound, from 0 to 1.
    OneColumnError(const PartitionFacts& facts, double second_moment, double squared_mean);

    /// Of a stratum of that squared radius, in units of s^2. Under zCDP the number of rows has the
    /// noise of the sum, too.
    [[nodiscard]] double of_stratum(double square) const;

    /// The same where its sum is no part of the estimate.
    [[nodiscard]] double of_left_out(double square) const;

private:
    [[nodiscard]] double of_rows() const;
    [[nodiscard]] double of_mean(double square) const;

    const PartitionFacts& facts_;
    double squared_mean_;
    double from_rows_;
};

/// The expected squared error of at least one of these strata, in units of the norm bound's fourth
/// power. Above the bin `last`, where no rows are seen, the estimate is taken to be zero.
[[nodiscard]] double one_column_squared_error(const std::vector<StratumBins>& strata,
                                              const NoisyHistogram& histogram, std::size_t last,
                                              const PartitionFacts& facts,
                                              const OneColumnError& error);

}  // namespace dpcov::detail
