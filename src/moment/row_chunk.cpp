#include "moment/row_chunk.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "arithmetic/exact_gram.hpp"
#include "arithmetic/parallel.hpp"

namespace dpcov::detail {
namespace {

// On one thread as many rows as stay, with their integers, near the core (4 MiB); more threads need
// more work each to be worth starting, and share a larger cache. With less than some hundreds of
// rows dsyrk has more to do with its result than with them, and a chunk's rows are in many bins.
std::size_t rows_per_chunk(std::size_t d, unsigned threads) {
    const std::size_t values = std::size_t{1} << (threads == 1 ? 18U : 20U);
    return std::clamp<std::size_t>(values / d, 768, exact_gram_rows);
}

}  // namespace

RowChunk::RowChunk(std::size_t d, double norm_bound, const NormBins& bins, unsigned threads,
                   std::vector<double>& memory)
    : d_(d),
      grid_(norm_bound),
      bins_(bins),
      capacity_(rows_per_chunk(d, threads)),
      threads_(threads),
      first_slot_(bins.size() + 1),
      next_slot_(bins.size() + 1),
      integers_(&memory) {
    integers_->resize(std::max(integers_->size(), capacity_ * d));
    places_.reserve(capacity_);
    bin_of_row_.reserve(capacity_);
    slots_.reserve(capacity_);
}

std::size_t RowChunk::take(std::span<const double> rows) {
    rows_ = rows;
    places_.resize(rows.size() / d_);
    bin_of_row_.resize(rows.size() / d_);
    std::atomic<std::size_t> first_bad = places_.size();
    parallel_ranges(threads_, places_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            if (find_place(&rows_[row * d_], d_, grid_, places_[row])) {
                bin_of_row_[row] = bin_of(row);
            } else {
                std::size_t seen = first_bad;
                while (row < seen && !first_bad.compare_exchange_weak(seen, row)) {
                }
            }
        }
    });
    places_.resize(first_bad);
    bin_of_row_.resize(first_bad);
    group_by_bin();
    return places_.size();
}

// It depends on the row's integers, which have no slot yet: they are made here, and once more by
// round().
std::size_t RowChunk::bin_of(std::size_t row) {
    const Place& place = places_[row];
    const BinRange octave = bins_.of_octave(place.stratum);
    if (octave.first == octave.last) {
        return octave.last;
    }
    const double squared_norm = place_on_grid(&rows_[row * d_], d_, place.power_of_two,
                                              place.to_grid, integers_->data() + row * d_);
    return bins_.of_row(place.stratum, squared_norm);
}

void RowChunk::group_by_bin() {
    std::fill(first_slot_.begin(), first_slot_.end(), 0);
    for (const std::size_t bin : bin_of_row_) {
        ++first_slot_[bin + 1];
    }
    std::partial_sum(first_slot_.begin(), first_slot_.end(), first_slot_.begin());
    std::copy(first_slot_.begin(), first_slot_.end(), next_slot_.begin());
    slots_.resize(places_.size());
    for (std::size_t row = 0; row < places_.size(); ++row) {
        slots_[row] = next_slot_[bin_of_row_[row]]++;
    }
}

void RowChunk::round(double Place::*factor) {
    constexpr std::size_t worth_a_thread = std::size_t{1} << 18U;  // values
    const unsigned threads = rows_.size() < worth_a_thread ? 1 : threads_;
    parallel_ranges(threads, places_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const Place& place = places_[row];
            place_on_grid(&rows_[row * d_], d_, place.power_of_two, place.*factor,
                          integers_->data() + slots_[row] * d_);
        }
    });
}

std::span<const double> RowChunk::in_bins(BinRange bins) const {
    return std::span<const double>(*integers_)
        .subspan(first_slot_[bins.first] * d_,
                 (first_slot_[bins.last + 1] - first_slot_[bins.first]) * d_);
}

}  // namespace dpcov::detail
