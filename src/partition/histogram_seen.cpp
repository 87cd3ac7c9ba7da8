#include "partition/histogram_seen.hpp"

#include <algorithm>
#include <cmath>

#include "partition/partition_error.hpp"

namespace dpcov::detail {

std::optional<std::size_t> last_populated(const NoisyHistogram& histogram, double least,
                                          double more) {
    const std::vector<double>& counts = histogram.counts;
    for (std::size_t bin = counts.size(); bin-- > 0;) {
        double sum = 0.0;
        for (std::size_t end = bin; end < counts.size(); ++end) {
            sum += counts[end];
            const auto bins = static_cast<double>(end - bin + 1);
            if (sum > histogram.deviation * (least * std::sqrt(bins) + more)) {
                return bin;
            }
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> last_beyond_doubt(const NoisyHistogram& histogram,
                                             const PartitionFacts& facts) {
    // Laplace's law has longer tails.
    return last_populated(histogram, facts.tuning.beyond_doubt,
                          facts.noise == NoiseShape::gaussian ? 0.0 : 3.0);
}

// Rows thin out: those that the histogram cannot show are just above those that it does. They are
// lost among the noise of a stratum that goes up to the norm bound, and cost little in this one.
std::size_t reached_from(std::size_t last, const std::vector<double>& radii,
                         const PartitionTuning& tuning) {
    const double middle = std::sqrt(radii[last] * radii[last == 0 ? 0 : last - 1]);
    const double greatest = tuning.reach * middle;
    while (last + 1 < radii.size() && radii[last + 1] <= greatest) {
        ++last;
    }
    return last;
}

// A bin above the detection threshold counts for itself. Those between share what they hold, not
// below nothing, in runs of at most an octave: else the search would find an edge beside each bin
// that noise alone lifts or lowers.
std::vector<double> smooth_counts(const NoisyHistogram& histogram, const PartitionTuning& tuning) {
    std::vector<double> counts = histogram.counts;
    const auto is_detected = [&](std::size_t bin) {
        return histogram.counts[bin] > tuning.significance * histogram.deviation;
    };
    for (std::size_t first = 0; first < counts.size(); ++first) {
        if (is_detected(first)) {
            continue;
        }
        std::size_t last = first;
        double sum = counts[first];
        while (last + 1 < counts.size() && !is_detected(last + 1) &&
               histogram.radii[last + 1] < octave * histogram.radii[first]) {
            sum += counts[++last];
        }
        const double mean = std::fmax(0.0, sum / static_cast<double>(last - first + 1));
        for (; first < last; ++first) {
            counts[first] = mean;
        }
        counts[last] = mean;
    }
    return counts;
}

NoisyHistogram populated_part(const NoisyHistogram& histogram, std::size_t last,
                              const PartitionTuning& tuning) {
    NoisyHistogram populated = histogram;
    populated.counts.resize(last + 1);
    populated.radii.resize(last + 1);
    populated.counts = smooth_counts(populated, tuning);
    return populated;
}

std::optional<Seen> seen_in(const NoisyHistogram& histogram, const PartitionFacts& facts) {
    const PartitionTuning& tuning = facts.tuning;
    const std::optional<std::size_t> shown = last_populated(
        histogram, facts.about_mean ? tuning.significance_about_mean : tuning.significance);
    if (!shown) {
        return std::nullopt;
    }
    Seen seen;
    const auto end_at = [&](std::size_t last) {
        seen.last = last;
        seen.populated = populated_part(histogram, last, tuning);
    };
    end_at(reached_from(*shown, histogram.radii, tuning));
    if (const auto certain = last_beyond_doubt(histogram, facts)) {
        const std::size_t end = reached_from(*certain, histogram.radii, tuning);
        if (tuning.well_below * histogram.radii[end] < histogram.radii[seen.last]) {
            // Noise may have lifted rows that are there, but seldom to twice as many.
            if (0.5 * PartitionError(seen.populated, facts).trace_above(end) >
                facts.greatest_trace) {
                end_at(end);
            } else {
                seen.certain_end = end;
            }
        }
    }
    return seen;
}

double may_hold(const StratumBins& stratum, const NoisyHistogram& histogram,
                const PartitionFacts& facts) {
    double held = 0.0;
    double variance = 0.0;
    for (std::size_t bin = stratum.first; bin <= stratum.last; ++bin) {
        const double square = histogram.radii[bin] * histogram.radii[bin] / facts.rows;
        held += histogram.counts[bin] * square;
        variance += std::pow(histogram.deviation * square, 2);
    }
    return std::max(0.0, held) + facts.tuning.significance * std::sqrt(variance);
}

}  // namespace dpcov::detail
