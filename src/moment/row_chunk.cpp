#include "moment/row_chunk.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "arithmetic/exact_gram.hpp"
#include "arithmetic/parallel.hpp"

namespace dpcov::detail {
namespace {

// Of integer rows: longer ones are in an octave, before they are rounded, unless that is the last.
constexpr double half_radius = 0x1p19;

}  // namespace

// On one thread as many rows as stay, with their integers, in the cache next to the core (1 MiB);
// more threads need more work each to be worth starting, and share a larger cache. With less than
// some hundreds of rows a product has more to do with its result than with them, and the more bins
// there are the fewer rows of a chunk are in one. From 128 columns on products take so long that
// rows may come from a cache further away: 2048, and where there are few fine bins up to 4096, as
// many as have 2^22 values. (With 16 bins an octave it is 4096 anyway.)
std::size_t RowChunk::capacity(std::size_t d, const NormBins& bins, unsigned threads) noexcept {
    const std::size_t values = std::size_t{1} << (threads == 1 ? 16U : 20U);
    std::size_t least = 256 * static_cast<std::size_t>(bins.per_octave());
    if (d < 128) {
        least = std::max<std::size_t>(least, 384);
    } else {
        constexpr std::size_t most_values = std::size_t{1} << 22U;
        const std::size_t most = bins.per_octave() == 1 ? 2048 : 4096;
        least = std::max(least, std::clamp<std::size_t>(most_values / d, 2048, most));
    }
    return std::clamp<std::size_t>(values / d, least, exact_gram_rows);
}

RowChunk::RowChunk(std::size_t d, double norm_bound, const NormBins& bins, unsigned threads,
                   HugePageVector<double>& memory)
    : d_(d),
      grid_(norm_bound),
      bins_(bins),
      capacity_(capacity(d, bins, threads)),
      threads_(threads),
      first_slot_(bins.size() + 1),
      next_slot_(bins.size() + 1),
      integers_(&memory) {
    const double shortest = half_radius - std::sqrt(static_cast<double>(d));
    const double near_an_edge = (std::sqrt(static_cast<double>(d)) + 4.0) * 0x1p-17;
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
        const BinRange octave = bins.of_octave(bins.octave(bin));
        squared_edges_.push_back(bins.squared_edge(bin));
        const bool ends_above_zero = bins.octave(bin) + 1 < NormBins::octaves;
        squared_least_.push_back(ends_above_zero ? shortest * shortest : 0.0);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        certainly_in_bin_.push_back(
            {.above = bin == octave.first ? -infinity
                                          : bins.squared_edge(bin - 1) / (1.0 - near_an_edge),
             .below =
                 bin == octave.last ? infinity : squared_edges_.back() / (1.0 + near_an_edge)});
    }
    integers_->resize(std::max(integers_->size(), capacity_ * d));
    places_.reserve(capacity_);
    bin_of_row_.reserve(capacity_);
    row_at_.reserve(capacity_);
    sparse_.reserve(capacity_);
}

std::size_t RowChunk::take(const RowBlock& rows) {
    rows_ = rows;
    places_.resize(rows.size());
    bin_of_row_.resize(rows.size());
    std::atomic<std::size_t> first_bad = places_.size();
    parallel_ranges(threads_, places_.size(), [&](std::size_t begin, std::size_t end) {
        const std::size_t bad = find_places_of(begin, end);
        for (std::size_t row = begin; row < bad; ++row) {
            bin_of_row_[row] = bin_of(row);
        }
        std::size_t seen = first_bad;
        while (bad < end && bad < seen && !first_bad.compare_exchange_weak(seen, bad)) {
        }
    });
    places_.resize(first_bad);
    bin_of_row_.resize(first_bad);
    group_by_bin();
    return places_.size();
}

// Of rows in [begin, end), up to the first that is not finite, which it returns.
std::size_t RowChunk::find_places_of(std::size_t begin, std::size_t end) {
    if (!rows_.is_sparse()) {
        return begin + find_places(rows_.values().subspan(begin * d_, (end - begin) * d_), d_,
                                   grid_, std::span(places_).subspan(begin, end - begin));
    }
    while (begin < end && find_sparse_place(rows_[begin], grid_, places_[begin])) {
        ++begin;
    }
    return begin;
}

// It depends on |q|^2, which is known once the row was rounded. Rounding, and pulling back where
// that is needed, moves |q| by less than 2 sqrt(d) + 2; it is 2^19 at least. So rows are rounded
// here only where an edge is near, and once more by round().
std::size_t RowChunk::bin_of(std::size_t row) {
    const Place& place = places_[row];
    const std::size_t bin = bins_.of_row(place.octave, place.squared_norm);
    if (place.squared_norm > certainly_in_bin_[bin].above &&
        place.squared_norm < certainly_in_bin_[bin].below) {
        return bin;
    }
    const std::span<const double> values = rows_[row].values;
    const double squared_norm = place_on_grid(values.data(), values.size(), place.power_of_two,
                                              place.to_grid, integers_->data() + row * d_);
    return bins_.of_row(place.octave, squared_norm);
}

void RowChunk::group_by_bin() {
    std::fill(first_slot_.begin(), first_slot_.end(), 0);
    for (const std::size_t bin : bin_of_row_) {
        ++first_slot_[bin + 1];
    }
    std::partial_sum(first_slot_.begin(), first_slot_.end(), first_slot_.begin());
    std::copy(first_slot_.begin(), first_slot_.end(), next_slot_.begin());
    row_at_.resize(places_.size());
    for (std::size_t row = 0; row < places_.size(); ++row) {
        row_at_[next_slot_[bin_of_row_[row]]++] = row;
    }
}

void RowChunk::round(double Place::*factor) {
    constexpr std::size_t worth_a_thread = std::size_t{1} << 18U;  // values
    const unsigned threads = rows_.size() * d_ < worth_a_thread ? 1 : threads_;
    sparse_.resize(rows_.is_sparse() ? places_.size() : 0);
    parallel_ranges(threads, places_.size(), [&](std::size_t begin, std::size_t end) {
        if (rows_.is_sparse()) {
            round_sparse_slots(begin, end, factor);
        } else {
            round_slots(begin, end, factor);
        }
    });
}

void RowChunk::round_slots(std::size_t begin, std::size_t end, double Place::*factor) {
    constexpr std::size_t most = 64;
    std::array<double, most> squared_norms{};
    for (std::size_t first = begin; first < end; first += most) {
        const std::size_t size = std::min(most, end - first);
        place_rows_on_grid(rows_.values(), d_, places_, std::span(row_at_).subspan(first, size),
                           factor, std::span(*integers_).subspan(first * d_, size * d_),
                           squared_norms);
        for (std::size_t i = 0; i < size; ++i) {
            keep_to_bin(first + i, d_, factor, squared_norms[i]);
        }
    }
}

void RowChunk::round_sparse_slots(std::size_t begin, std::size_t end, double Place::*factor) {
    for (std::size_t slot = begin; slot < end; ++slot) {
        const Place& place = places_[row_at_[slot]];
        const SparseRow row = rows_[row_at_[slot]];
        double* const q = integers_->data() + slot * d_;
        const std::size_t entries = row.values.size();
        const double squared_norm =
            place_on_grid(row.values.data(), entries, place.power_of_two, place.*factor, q);
        keep_to_bin(slot, entries, factor, squared_norm);
        sparse_[slot] = {.columns = row.columns, .values = {q, entries}};
    }
}

// A row that stays as it is never goes over the edge of its bin, by what bin_of() says, nor falls
// below its octave by more than rounding does. Privacy does not rest on that: whoever writes to the
// row while it is read, it becomes one that the bin may hold (docs/privacy.md#clipped-gram).
void RowChunk::keep_to_bin(std::size_t slot, std::size_t entries, double Place::*factor,
                           double squared_norm) {
    const std::size_t bin = bin_of_row_[row_at_[slot]];
    if (factor != &Place::to_grid ||
        (squared_norm <= squared_edges_[bin] && squared_norm >= squared_least_[bin])) {
        return;
    }
    double* const q = integers_->data() + slot * d_;
    std::fill_n(q, entries, 0.0);
    if (entries > 0 && squared_least_[bin] > 0.0) {
        q[0] = half_radius;
    }
}

std::span<const SparseRow> RowChunk::in_bins_sparse(BinRange bins) const {
    return std::span<const SparseRow>(sparse_).subspan(first_slot_[bins.first], count(bins));
}

std::span<const double> RowChunk::in_bins(BinRange bins) {
    if (rows_.is_sparse()) {
        for (std::size_t slot = first_slot_[bins.first]; slot < first_slot_[bins.last + 1];
             ++slot) {
            spread(slot);
        }
    }
    return std::span<const double>(*integers_)
        .subspan(first_slot_[bins.first] * d_, count(bins) * d_);
}

// Columns ascend, so an entry's is at or behind where it stands: from the last one on, none is
// written over before it has moved.
void RowChunk::spread(std::size_t slot) {
    double* const q = integers_->data() + slot * d_;
    const std::span<const std::uint32_t> columns = sparse_[slot].columns;
    std::size_t end = d_;
    for (std::size_t i = columns.size(); i-- > 0;) {
        const double value = q[i];
        std::fill(q + columns[i], q + end, 0.0);
        q[columns[i]] = value;
        end = columns[i];
    }
    std::fill(q, q + end, 0.0);
}

}  // namespace dpcov::detail
