#include "partition/partition_search.hpp"

#include <algorithm>
#include <utility>

namespace dpcov::detail {

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

namespace {

// These ends, and those that they take to keep to the limits of best_ends().
Ends allowed(Ends ends, const Seen& seen) {
    if (seen.certain_end) {
        const auto at = std::lower_bound(ends.begin(), ends.end(), *seen.certain_end);
        if (at == ends.end() || *at != *seen.certain_end) {
            ends.insert(at, *seen.certain_end);
        }
    }
    for (std::size_t at = ends.size(); at-- > 1;) {
        const Ends between = octaves_above(seen.populated.radii, ends[at - 1], ends[at]);
        ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(at), between.begin(),
                    between.end() - 1);
    }
    return ends;
}

// What a step of the search may change.
enum class Step { one_end, and_those_it_takes };

// The least cost that is found from `ends` by moving, adding and taking away one end at a time. The
// last stays.
Ends improved(Ends ends, const Seen& seen, const PartitionError& model, Step step) {
    double least = model.cost(ends);
    Ends more;
    Ends other;
    for (bool better = true; better;) {
        better = false;
        const Ends now = ends;
        const auto consider = [&] {
            Ends kept = allowed(other, seen);
            if (step == Step::one_end && kept != other) {
                return;
            }
            other = std::move(kept);
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

}  // namespace

Ends best_ends(const Seen& seen, const PartitionError& model) {
    const std::vector<double>& radii = seen.populated.radii;
    const std::size_t last = seen.last;
    Ends best = allowed({last}, seen);
    for (std::size_t top = 0; top <= last; ++top) {
        const Ends above = octaves_above(radii, top, last);
        for (const std::size_t most : {std::size_t{0}, std::size_t{1}, last}) {
            Ends ends = octaves_below(radii, top, most);
            ends.insert(ends.end(), above.begin(), above.end());
            ends = allowed(std::move(ends), seen);
            if (model.cost(ends) < model.cost(best)) {
                best = std::move(ends);
            }
        }
    }
    return improved(std::move(best), seen, model, Step::one_end);
}

ExtendedEnds best_extended(const Ends& ends, const Seen& seen, const PartitionError& model,
                           double worth) {
    const std::vector<double>& radii = seen.populated.radii;
    ExtendedEnds best{ends};
    double least = model.cost(ends, {});
    Ends more_apart = improved(ends, seen, model, Step::and_those_it_takes);
    if (const double cost = model.cost(more_apart, {}) / worth; cost < least) {
        least = cost;
        best = {std::move(more_apart)};
    }
    const auto consider = [&](Ends finer, std::size_t cut, const Ends& coarser) {
        finer.push_back(cut);
        finer.insert(finer.end(), coarser.begin(), coarser.end());
        finer = allowed(std::move(finer), seen);
        const auto extended = static_cast<std::size_t>(
            std::lower_bound(finer.begin(), finer.end(), cut) - finer.begin());
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
        Ends octave_below = octaves_below(radii, cut, 1);
        octave_below.pop_back();
        for (const Ends& finer : {Ends{}, octave_below, below}) {
            consider(finer, cut, above);
            consider(finer, cut, octaves_above(radii, cut, last));
            if (cut < last) {
                consider(finer, cut, {last});
            }
        }
    }
    return best;
}

}  // namespace dpcov::detail
