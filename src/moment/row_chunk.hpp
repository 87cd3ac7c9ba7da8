// Some rows on their way to integers: read from memory once, in the cache for all that follows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "arithmetic/huge_pages.hpp"
#include "moment/norm_bins.hpp"
#include "moment/placement.hpp"
#include "moment/row_block.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

/// A few rows, their places, and their integers, those of one bin together. SECRET.
class RowChunk {
public:
    /// For as many rows at a time as fit into the cache. The integers go to `memory`, which must
    /// outlive the chunk. All memory is taken here: how much does not depend on rows.
    RowChunk(std::size_t d, double norm_bound, const NormBins& bins, unsigned threads,
             HugePageVector<double>& memory);

    /// How many rows that is.
    [[nodiscard]] static std::size_t capacity(std::size_t d, const NormBins& bins,
                                              unsigned threads) noexcept;
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// Finds the places of the rows before the first that is not finite, which are the rows of the
    /// chunk from now on, and returns how many they are. `rows` (at most capacity() of them) must
    /// last as long as they are in use.
    std::size_t take(const RowBlock& rows);

    /// Rounds the rows to integers, on the grid (&Place::to_grid) or the sphere
    /// (&Place::to_sphere).
    void round(double Place::*factor);

    /// How many rows are in those bins.
    [[nodiscard]] std::size_t count(BinRange bins) const noexcept {
        return first_slot_[bins.last + 1] - first_slot_[bins.first];
    }

    /// Whether rows came with some of their values, and in_bins_sparse() has what round() made.
    [[nodiscard]] bool is_sparse() const noexcept { return rows_.is_sparse(); }
    /// What round() made of the rows of those bins.
    [[nodiscard]] std::span<const SparseRow> in_bins_sparse(BinRange bins) const;
    /// The same, row-major with every value. Of sparse rows nothing else is left afterwards, until
    /// they are rounded again.
    [[nodiscard]] std::span<const double> in_bins(BinRange bins);

private:
    struct Between {
        double above;
        double below;
    };

    std::size_t find_places_of(std::size_t begin, std::size_t end);
    std::size_t bin_of(std::size_t row);
    void group_by_bin();
    void round_slots(std::size_t begin, std::size_t end, double Place::*factor);
    void round_sparse_slots(std::size_t begin, std::size_t end, double Place::*factor);
    void keep_to_bin(std::size_t slot, std::size_t entries, double Place::*factor,
                     double squared_norm);
    void spread(std::size_t slot);

    std::size_t d_;
    Grid grid_;
    NormBins bins_;
    std::vector<double> squared_edges_;      // of bins
    std::vector<double> squared_least_;      // of rows that were placed there, after rounding
    std::vector<Between> certainly_in_bin_;  // squared norms that no rounding takes over an edge
    std::size_t capacity_;
    unsigned threads_;
    RowBlock rows_;
    std::vector<Place> places_;
    std::vector<std::size_t> bin_of_row_;
    std::vector<std::size_t> row_at_;      // by slot: which row goes there in integers_
    std::vector<std::size_t> first_slot_;  // of each bin, and one behind the last
    std::vector<std::size_t> next_slot_;   // used by group_by_bin()
    HugePageVector<double>* integers_;     // a row's are in front of its slot's d values
    std::vector<SparseRow> sparse_;        // by slot, in integers_; of sparse rows only
};

}  // namespace dpcov::detail
