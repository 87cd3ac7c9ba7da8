// Room for some Grams in doubles, shared by the bins. SECRET.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arithmetic/exact_gram.hpp"

namespace dpcov::detail {

/// The memory of two Grams in doubles.
using RoomForGrams = std::shared_ptr<HugePageVector<double>>;

/// Sums Grams for more totals than it has room for in doubles: the one that was not added to for
/// longest goes to its total, in 128-bit integers, and makes room. Sums are exact either way.
class GramSlots {
public:
    /// Sums two Grams of `d` columns in each of `memory`, which has the room. It and `product` must
    /// outlive this.
    GramSlots(std::vector<RoomForGrams>& memory, std::size_t d, GramProduct& product);

    /// As GramSum::add(). `total` must stay where it is, and have the room.
    void add(std::span<const double> rows, WideSums& total, unsigned threads, int sign) noexcept;

    /// Moves everything to its total.
    void finish(unsigned threads) noexcept;
    /// The same for the last time. Unless sums have memory that is resident already, what a room
    /// held goes to sums in the memory of the room before, where they were empty. The rest of the
    /// memory is given back as it becomes empty.
    void finish_and_free(bool sums_are_resident, unsigned threads) noexcept;

private:
    struct Slot {
        GramSum sum;
        WideSums* total = nullptr;
        std::uint64_t last_use = 0;
    };

    Slot& slot_for(WideSums& total, unsigned threads) noexcept;

    std::vector<RoomForGrams>* memory_;
    std::size_t d_;
    GramProduct* product_;
    std::vector<Slot> slots_;
    std::uint64_t uses_ = 0;
};

}  // namespace dpcov::detail
