#include "partition/partition.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "partition/histogram_seen.hpp"
#include "partition/one_column_error.hpp"
#include "partition/partition_error.hpp"
#include "partition/partition_search.hpp"

namespace dpcov::detail {
namespace {

std::vector<StratumBins> strata_with(const Ends& ends) {
    std::vector<StratumBins> strata;
    std::size_t first = 0;
    for (const std::size_t end : ends) {
        strata.push_back({first, end});
        first = end + 1;
    }
    return strata;
}

// Octaves of the bins above `last`, but for those that would hold next to nothing beside an error
// of that size, though all of their rows pointed one way.
std::vector<StratumBins> strata_above(std::size_t last, const NoisyHistogram& histogram,
                                      const PartitionFacts& facts, double error) {
    const std::vector<double>& radii = histogram.radii;
    std::vector<StratumBins> strata;
    std::size_t first = last + 1;
    for (const std::size_t end : octaves_above(radii, last, radii.size() - 1)) {
        strata.push_back({first, end});
        first = end + 1;
    }
    double left_out = 0.0;
    const auto is_negligible = [&](const StratumBins& stratum) {
        const double held = may_hold(stratum, histogram, facts);
        if (left_out + held > facts.tuning.negligible_root * error) {
            return false;
        }
        left_out += held;
        return true;
    };
    std::erase_if(strata, is_negligible);
    return strata;
}

// Whether one column errs no more without strata: its bounds are not much wider than its values.
// By rows that no noise made up: the whole may have a thousand times the noise of strata, but these
// have a few times its noise at most.
bool is_better_whole(const Partition& partition, const NoisyHistogram& histogram,
                     const PartitionFacts& facts) {
    const std::optional<std::size_t> last = last_beyond_doubt(histogram, facts);
    if (!last) {
        return false;
    }
    const double second_moment =
        PartitionError(populated_part(histogram, *last, facts.tuning), facts).trace();
    // How long the mean is the histogram does not say, but no longer than the rows.
    const OneColumnError error(facts, second_moment,
                               facts.squared_mean_weight > 0.0 ? second_moment : 0.0);
    const auto of = [&](const std::vector<StratumBins>& strata) {
        return one_column_squared_error(strata, histogram, *last, facts, error);
    };
    return of({all_bins(histogram)}) <= of(partition.strata);
}

}  // namespace

Partition choose_partition(const NoisyHistogram& histogram, const PartitionFacts& facts) {
    const std::optional<Seen> seen = seen_in(histogram, facts);
    if (!seen) {
        const std::size_t bins = histogram.radii.size();
        return {strata_with(octaves_below(histogram.radii, bins - 1, bins))};
    }
    const PartitionError model(seen->populated, facts);
    const Ends ends = best_ends(*seen, model);
    const ExtendedEnds chosen = best_extended(ends, *seen, model, facts.tuning.worth);
    Partition partition{strata_with(chosen.ends), chosen.extended};
    for (const StratumBins& above :
         strata_above(seen->last, histogram, facts, std::sqrt(model.if_alike(ends)))) {
        partition.strata.push_back(above);
    }
    if (facts.columns == 1 && is_better_whole(partition, histogram, facts)) {
        return {{all_bins(histogram)}};
    }
    return partition;
}

StratumBins all_bins(const NoisyHistogram& histogram) {
    return {0, histogram.radii.size() - 1};
}

std::vector<StratumBins> bins_left_out(const std::vector<StratumBins>& strata, std::size_t bins) {
    std::vector<StratumBins> rest;
    std::size_t next = 0;
    for (const StratumBins& stratum : strata) {
        if (next < stratum.first) {
            rest.push_back({next, stratum.first - 1});
        }
        next = stratum.last + 1;
    }
    if (next < bins) {
        rest.push_back({next, bins - 1});
    }
    return rest;
}

Prediction predicted(const NoisyHistogram& histogram, const PartitionFacts& facts,
                     const std::vector<StratumBins>& strata) {
    Ends ends;
    for (const StratumBins& stratum : strata) {
        ends.push_back(stratum.last);
    }
    const PartitionError all(histogram, facts);
    Prediction prediction{.squared_error = all.if_alike(ends), .squared_norm = all.squared_norm()};
    const auto set_lengths = [&](const PartitionError& model) {
        prediction.main_radius = model.main_radius(ends);
        prediction.squared_mean = model.squared_mean(prediction.main_radius);
    };
    const std::optional<Seen> seen = seen_in(histogram, facts);
    if (!seen) {
        set_lengths(all);
        return prediction;
    }
    // By rows that are there beyond doubt. A few that noise makes up, far above them, have most of
    // the trace.
    const std::size_t end = seen->certain_end.value_or(seen->last);
    std::erase_if(ends, [end](std::size_t other) { return other > end; });
    const NoisyHistogram populated = populated_part(histogram, end, facts.tuning);
    set_lengths({populated, facts});
    return prediction;
}

namespace {

double steady_squared_error_about_zero(const NoisyHistogram& histogram, const PartitionFacts& facts,
                                       const std::vector<StratumBins>& strata) {
    const std::optional<Seen> seen = seen_in(histogram, facts);
    if (!seen) {
        return predicted(histogram, facts, strata).squared_error;
    }
    const PartitionTuning& tuning = facts.tuning;
    const PartitionError all(histogram, facts);
    Ends ends;
    double above = 0.0;
    for (const StratumBins& stratum : strata) {
        if (stratum.last <= seen->last) {
            ends.push_back(stratum.last);
        } else {
            above += tuning.seldom * std::min(tuning.stratum_freedom * all.variance(stratum.last),
                                              std::pow(may_hold(stratum, histogram, facts), 2));
        }
    }
    const PartitionError model(seen->populated, facts);
    // Shapes are neither alike nor unlike.
    return 0.5 * (model.if_alike(ends) + model.if_unlike(ends)) + above;
}

}  // namespace

double steady_squared_error(const NoisyHistogram& histogram, const PartitionFacts& facts,
                            const std::vector<StratumBins>& strata, const MeanFacts& mean) {
    if (const std::optional<Seen> seen =
            facts.columns == 1 ? seen_in(histogram, facts) : std::nullopt) {
        const double second_moment = PartitionError(seen->populated, facts).trace();
        return one_column_squared_error(
            strata, histogram, seen->last, facts,
            {facts, second_moment, std::fmin(mean.squared_mean, second_moment)});
    }
    // The sum of the strata's means errs by v in each entry, so m m^T by 2 (d + 1) |m|^2 v and
    // d (d + 1) v^2.
    double variance = 0.0;
    for (const StratumBins& stratum : strata) {
        const double deviation =
            facts.noise_deviation_at_radius_one * histogram.radii[stratum.last];
        variance += 0.5 * deviation * deviation / mean.squared_weight;
    }
    const auto d = static_cast<double>(facts.columns);
    return steady_squared_error_about_zero(histogram, facts, strata) +
           (d + 1.0) * variance * (2.0 * mean.squared_mean + d * variance);
}

}  // namespace dpcov::detail
