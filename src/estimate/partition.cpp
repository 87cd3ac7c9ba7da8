#include "estimate/partition.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "estimate/partition_error.hpp"

namespace dpcov::detail {
namespace {

// Fitted on the kinds of tables of docs/stress.md that were not held back.
constexpr double significance = 3.0;     // deviations from which on a bin stands out
constexpr double negligible_root = 0.2;  // of the error's root: what is left out adds 2 % at most
constexpr double worth = 0.95;   // of the error, at most, to extend another stratum than was chosen
constexpr double seldom = 0.05;  // how often there are rows beyond those that the histogram shows
constexpr double reach = 1.1;  // beyond the rows that the histogram shows; on tables of people, too

// The coarsest bin from which on some run of bins holds more than noise would: `least` deviations
// of the run's noise and `more` of a bin's.
std::optional<std::size_t> last_populated(const NoisyHistogram& histogram, double least,
                                          double more = 0.0) {
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

// Rows thin out: those that the histogram cannot show are just above those that it does. They are
// lost among the noise of a stratum that goes up to the norm bound, and cost little in this one.
std::size_t reached_from(std::size_t last, const std::vector<double>& radii) {
    const double greatest = reach * radii[last];
    while (last + 1 < radii.size() && radii[last + 1] <= greatest) {
        ++last;
    }
    return last;
}

// The counts without most of their noise. A bin that stands out counts for itself. Those between
// share what they hold, not below nothing, in runs of at most an octave: else the search would find
// an edge beside each bin that noise alone lifts or lowers.
std::vector<double> smooth_counts(const NoisyHistogram& histogram) {
    std::vector<double> counts = histogram.counts;
    const auto stands_out = [&](std::size_t bin) {
        return histogram.counts[bin] > significance * histogram.deviation;
    };
    for (std::size_t first = 0; first < counts.size(); ++first) {
        if (stands_out(first)) {
            continue;
        }
        std::size_t last = first;
        double sum = counts[first];
        while (last + 1 < counts.size() && !stands_out(last + 1) &&
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

// `top`, and bins of at most half the radius of the next, at most so many of them.
Ends octaves_below(const std::vector<double>& radii, std::size_t top, std::size_t most) {
    constexpr double half = 0.5 + 1e-9;
    Ends ends = {top};
    for (std::size_t bin = top; bin-- > 0 && ends.size() <= most;) {
        if (radii[bin] <= half * radii[ends.back()]) {
            ends.push_back(bin);
        }
    }
    std::reverse(ends.begin(), ends.end());
    return ends;
}

// Bins above `low` up to `last`. From there down each is the lowest that is at most an octave below
// the one above it, so that long strata are few: their noise adds up, and noise goes with the
// square of the radius.
Ends octaves_above(const std::vector<double>& radii, std::size_t low, std::size_t last) {
    Ends ends;
    std::size_t end = last;
    while (end > low) {
        ends.push_back(end);
        const double least = radii[end] / octave;
        std::size_t next = end - 1;
        while (next > low && radii[next - 1] >= least) {
            --next;
        }
        end = next;
    }
    std::reverse(ends.begin(), ends.end());
    return ends;
}

// The least cost that is found from `ends` by moving, adding and taking away one end at a time.
// The last stays.
Ends improved(Ends ends, const PartitionError& model) {
    double least = model.cost(ends);
    Ends more;
    Ends other;  // one memory for all that is tried
    for (bool better = true; better;) {
        better = false;
        const Ends now = ends;
        const auto consider = [&] {
            const double cost = model.cost(other);
            if (cost < (1.0 - 1e-9) * least) {
                least = cost;
                ends = other;
                better = true;
            }
        };
        // `other` is `from` without the end `at`.
        const auto consider_without = [&](const Ends& from, std::size_t at) {
            other = from;
            other.erase(other.begin() + static_cast<std::ptrdiff_t>(at));
            consider();
        };
        std::size_t at = 0;
        for (std::size_t bin = 0; bin < now.back(); ++bin) {
            if (now[at] == bin) {
                consider_without(now, at);
                ++at;
                continue;
            }
            more = now;
            more.insert(more.begin() + static_cast<std::ptrdiff_t>(at), bin);
            other = more;
            consider();
            if (at > 0) {
                consider_without(more, at - 1);
            }
            if (at + 2 < more.size()) {
                consider_without(more, at + 1);
            }
        }
    }
    return ends;
}

Ends best_ends(const NoisyHistogram& populated, const PartitionError& model) {
    const std::size_t last = populated.counts.size() - 1;
    Ends best = {last};
    for (std::size_t top = 0; top <= last; ++top) {
        const Ends above = octaves_above(populated.radii, top, last);
        for (const std::size_t most : {std::size_t{0}, std::size_t{1}, last}) {
            Ends ends = octaves_below(populated.radii, top, most);
            ends.insert(ends.end(), above.begin(), above.end());
            if (model.cost(ends) < model.cost(best)) {
                best = std::move(ends);
            }
        }
    }
    return improved(std::move(best), model);
}

std::vector<StratumBins> strata_with(const Ends& ends) {
    std::vector<StratumBins> strata;
    std::size_t first = 0;
    for (const std::size_t end : ends) {
        strata.push_back({first, end});
        first = end + 1;
    }
    return strata;
}

// The ends of strata, and the one that is extended.
struct ExtendedEnds {
    Ends ends;
    std::optional<std::size_t> extended = {};
};

// These, or others of which one is extended: those that promise the least error, others clearly
// less. Of two that promise the same, the extended one: there may be rows that the histogram does
// not show.
ExtendedEnds with_extended(const Ends& ends, const NoisyHistogram& populated,
                           const PartitionError& model) {
    ExtendedEnds best{ends};
    double least = model.cost(ends, {});
    const auto consider = [&](Ends finer, std::size_t cut, const Ends& coarser) {
        const std::size_t extended = finer.size();
        finer.push_back(cut);
        finer.insert(finer.end(), coarser.begin(), coarser.end());
        const double cost = model.cost(finer, extended) / (finer == ends ? 1.0 : worth);
        if (cost < (1.0 - 1e-9) * least || (!best.extended && cost <= (1.0 + 1e-9) * least)) {
            least = cost;
            best = {std::move(finer), extended};
        }
    };
    const std::size_t last = ends.back();
    for (std::size_t cut = 0; cut <= last; ++cut) {
        const Ends below(ends.begin(), std::lower_bound(ends.begin(), ends.end(), cut));
        const Ends above(std::upper_bound(ends.begin(), ends.end(), cut), ends.end());
        Ends octave_below = octaves_below(populated.radii, cut, 1);
        octave_below.pop_back();
        for (const Ends& finer : {Ends{}, octave_below, below}) {
            consider(finer, cut, above);
            consider(finer, cut, octaves_above(populated.radii, cut, last));
            if (cut < last) {
                consider(finer, cut, {last});
            }
        }
    }
    return best;
}

// The bins up to `last`, without most of the noise.
NoisyHistogram populated_part(const NoisyHistogram& histogram, std::size_t last) {
    NoisyHistogram populated = histogram;
    populated.counts.resize(last + 1);
    populated.radii.resize(last + 1);
    populated.counts = smooth_counts(populated);
    return populated;
}

// The trace that these bins may hold, for all that the histogram says.
double may_hold(const StratumBins& stratum, const NoisyHistogram& histogram, double rows) {
    double held = 0.0;
    double variance = 0.0;
    for (std::size_t bin = stratum.first; bin <= stratum.last; ++bin) {
        const double square = histogram.radii[bin] * histogram.radii[bin] / rows;
        held += histogram.counts[bin] * square;
        variance += std::pow(histogram.deviation * square, 2);
    }
    return std::max(0.0, held) + significance * std::sqrt(variance);
}

// Octaves of the bins above `last`, but for those that would hold next to nothing beside an error
// of that size, though all of their rows pointed one way.
std::vector<StratumBins> strata_above(std::size_t last, const NoisyHistogram& histogram,
                                      double rows, double error) {
    const std::vector<double>& radii = histogram.radii;
    std::vector<StratumBins> strata;
    std::size_t first = last + 1;
    for (const std::size_t end : octaves_above(radii, last, radii.size() - 1)) {
        strata.push_back({first, end});
        first = end + 1;
    }
    double left_out = 0.0;
    const auto is_negligible = [&](const StratumBins& stratum) {
        const double held = may_hold(stratum, histogram, rows);
        if (left_out + held > negligible_root * error) {
            return false;
        }
        left_out += held;
        return true;
    };
    std::erase_if(strata, is_negligible);
    return strata;
}

// What strata err by where there is one column, which has no shape that they could share: the noise
// of all that is drawn.
class OneColumnError {
public:
    // In units of the squared norm bound.
    OneColumnError(const PartitionFacts& facts, double second_moment, double squared_mean)
        : facts_(facts),
          squared_mean_(squared_mean),
          // The variance moves by this over n where n is one less.
          from_rows_(second_moment - 2.0 * squared_mean) {}

    // Of a stratum of that squared radius, in units of s^2. Under zCDP the number of rows has the
    // noise of the sum, too.
    [[nodiscard]] double of_stratum(double square) const {
        const bool with_sum = facts_.counts && facts_.noise == NoiseShape::gaussian;
        return with_sum
                   ? std::pow(square - from_rows_, 2) + from_rows_ * from_rows_ + of_mean(square)
                   : square * square + of_left_out(square);
    }

    // The same where its sum is no part of the estimate.
    [[nodiscard]] double of_left_out(double square) const { return of_rows() + of_mean(square); }

private:
    [[nodiscard]] double of_rows() const {
        if (!facts_.counts) {
            return 0.0;
        }
        const double weight =
            facts_.noise == NoiseShape::gaussian ? 2.0 : std::pow(facts_.squared_mean_weight, -2.0);
        return weight * from_rows_ * from_rows_;
    }
    [[nodiscard]] double of_mean(double square) const {
        return facts_.squared_mean_weight > 0.0
                   ? 2.0 * squared_mean_ * square / facts_.squared_mean_weight
                   : 0.0;
    }

    const PartitionFacts& facts_;
    double squared_mean_;
    double from_rows_;
};

StratumBins all_bins(const NoisyHistogram& histogram) {
    return {0, histogram.radii.size() - 1};
}

// In units of the norm bound's fourth power. Above `last`, where no rows are seen, the estimate is
// taken to be zero.
double one_column_squared_error(const std::vector<StratumBins>& strata,
                                const NoisyHistogram& histogram, std::size_t last,
                                const PartitionFacts& facts, const OneColumnError& error) {
    const auto square = [&](std::size_t bin) { return std::pow(histogram.radii[bin], 2); };
    double sum = 0.0;
    for (const StratumBins& stratum : strata) {
        const double squared_radius = square(stratum.last);
        sum += stratum.first <= last ? error.of_stratum(squared_radius)
                                     : error.of_left_out(squared_radius);
    }
    const std::vector<StratumBins> rest = bins_left_out(strata, histogram.radii.size());
    if (!rest.empty()) {
        sum += error.of_left_out(square(rest.back().last));
    }
    return sum * std::pow(strata.front() == all_bins(histogram)
                              ? facts.noise_deviation_of_all_rows
                              : facts.noise_deviation_at_radius_one,
                          2);
}

// Whether one column errs no more without strata: its bounds are not much wider than its values.
// By rows that no noise made up: the whole may have a thousand times the noise of strata, but these
// have a few times its noise at most.
bool is_better_whole(const Partition& partition, const NoisyHistogram& histogram,
                     const PartitionFacts& facts) {
    // Noise alone goes beyond that once in three million runs, Laplace's having longer tails.
    constexpr double beyond_doubt = 5.0;
    const double more = facts.noise == NoiseShape::gaussian ? 0.0 : beyond_doubt;
    const std::optional<std::size_t> last = last_populated(histogram, beyond_doubt, more);
    if (!last) {
        return false;
    }
    const double second_moment = PartitionError(populated_part(histogram, *last), facts).trace();
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
    const std::optional<std::size_t> shown = last_populated(histogram, facts.significance);
    if (!shown) {
        const std::size_t bins = histogram.radii.size();
        return {strata_with(octaves_below(histogram.radii, bins - 1, bins))};
    }
    const std::size_t last = reached_from(*shown, histogram.radii);
    const NoisyHistogram populated = populated_part(histogram, last);
    const PartitionError model(populated, facts);
    const Ends ends = best_ends(populated, model);
    const ExtendedEnds chosen = with_extended(ends, populated, model);
    Partition partition{strata_with(chosen.ends), chosen.extended};
    for (const StratumBins& above :
         strata_above(last, histogram, facts.rows, std::sqrt(model.if_alike(ends)))) {
        partition.strata.push_back(above);
    }
    if (facts.columns == 1 && is_better_whole(partition, histogram, facts)) {
        return {{all_bins(histogram)}};
    }
    return partition;
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
    const PartitionError model(histogram, facts);
    const double radius = model.main_radius(ends);
    return {model.if_alike(ends), model.squared_norm(), radius, model.squared_mean(radius)};
}

namespace {

double steady_squared_error_about_zero(const NoisyHistogram& histogram, const PartitionFacts& facts,
                                       const std::vector<StratumBins>& strata) {
    const std::optional<std::size_t> shown = last_populated(histogram, facts.significance);
    if (!shown) {
        return predicted(histogram, facts, strata).squared_error;
    }
    const std::size_t last = reached_from(*shown, histogram.radii);
    const PartitionError all(histogram, facts);
    Ends ends;
    double above = 0.0;
    for (const StratumBins& stratum : strata) {
        if (stratum.last <= last) {
            ends.push_back(stratum.last);
        } else {
            above += seldom * std::min(stratum_freedom * all.variance(stratum.last),
                                       std::pow(may_hold(stratum, histogram, facts.rows), 2));
        }
    }
    const NoisyHistogram populated = populated_part(histogram, last);
    const PartitionError model(populated, facts);
    // Shapes are neither alike nor unlike.
    return 0.5 * (model.if_alike(ends) + model.if_unlike(ends)) + above;
}

}  // namespace

double steady_squared_error(const NoisyHistogram& histogram, const PartitionFacts& facts,
                            const std::vector<StratumBins>& strata, const MeanFacts& mean) {
    const std::optional<std::size_t> shown = last_populated(histogram, facts.significance);
    if (facts.columns == 1 && shown) {
        const std::size_t last = reached_from(*shown, histogram.radii);
        const NoisyHistogram populated = populated_part(histogram, last);
        const double second_moment = PartitionError(populated, facts).trace();
        return one_column_squared_error(
            strata, histogram, last, facts,
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
