// How much memory a moment and its release take: from public facts, before the first row.
//
// Memory that runs out is an exit status, and an attacker sees that. So a moment takes all of its
// memory before it sees a row, for every bin that a row could be in, and refuses at once where
// there is too little (docs/threat-model.md).
#pragma once

#include <cstddef>

#include "dpcov/second_moment.hpp"
#include "moment/norm_bins.hpp"

namespace dpcov::detail {

/// Sums that take at most this many bytes, those in doubles too, are resident from the start, all
/// of them; of greater ones a bin becomes resident with its first row. It takes some hundredths of
/// a second to touch.
inline constexpr double resident_moment = 0x1p27;

/// Rows of a table are read so many bytes at a time, or a row; there may be two such blocks at
/// once.
inline constexpr std::size_t read_block_bytes = std::size_t{16} << 20U;

/// Bytes, counted as doubles, which do not overflow. None depends on a row.
struct MemoryNeed {
    double bins = 0.0;     ///< how many Grams there are in the sums
    double sums = 0.0;     ///< of all bins
    double doubles = 0.0;  ///< of the Grams that are summed in doubles
    double working = 0.0;  ///< while rows are added, those among it
    double release = 0.0;  ///< what any method takes at most, and the blocks of rows before that
    double matrix = 0.0;   ///< one d x d matrix

    /// Address space for all of it.
    [[nodiscard]] double address_space() const noexcept { return sums + working + release; }
    /// Whether all sums are resident whatever the rows are.
    [[nodiscard]] bool sums_are_resident() const noexcept {
        return sums + doubles <= resident_moment;
    }
    /// What becomes resident whatever the rows are.
    [[nodiscard]] double resident() const noexcept;
};

/// The columns, their bins and the kept directions decide.
[[nodiscard]] MemoryNeed memory_need(const MomentLayout& layout, const NormBins& bins);

/// Half of how many Grams are summed in doubles at the same time: two share a square. They are as
/// many as there are in 256 MiB, but 32 at least, and never more than there are. Of more bins in
/// use each chunk of rows moves many to their sums, which costs more than the chunk's products;
/// rows in eight octaves of norms have 32 bins from 1025 columns on, or fewer. As many more for
/// kept directions.
[[nodiscard]] std::size_t rooms_for_two_grams(const MomentLayout& layout, const NormBins& bins);

/// Throws DeviceError, which says how much is needed and how much there is, unless the limits of
/// the process and the memory of the machine allow for `need`. What is taken later is in the need
/// already, so that it is refused here or not at all. The buffers of the BLAS are had afterwards.
void require_memory(const MemoryNeed& need);

/// Whether there is address space for so many more threads that have sums of their own, and call
/// OpenBLAS at the same time: it has a buffer for each, and looks for ever for one that it cannot
/// have.
[[nodiscard]] bool has_room_for_threads(const MemoryNeed& need, double more);

/// Has OpenBLAS's threads take their buffers, where no moment does so: one that finds no room for
/// it later looks for it for ever. Throws DeviceError where the limits of the process are too low
/// for a buffer for each of them.
void take_blas_memory();

}  // namespace dpcov::detail
