#include "moment/gram_slots.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "arithmetic/packed_symmetric.hpp"

namespace dpcov::detail {
namespace {

// Half of a room, for the low words of sums of d columns; it lasts as long as they do.
std::shared_ptr<std::int64_t[]> words_in(const RoomForGrams& room, std::size_t half,
                                         std::size_t d) {
    const std::size_t size = packed_size(d);  // two of which are two_triangles(d)
    auto* const words = reinterpret_cast<std::int64_t*>(room->data()) + half * size;
    std::uninitialized_default_construct_n(words, size);
    return {room, words};
}

}  // namespace

GramSlots::GramSlots(std::vector<RoomForGrams>& memory, std::size_t d, GramProduct& product)
    : memory_(&memory), d_(d), product_(&product) {
    slots_.reserve(2 * memory.size());
    for (const RoomForGrams& room : memory) {
        slots_.push_back({.sum = GramSum(*room, Half::upper)});
        slots_.push_back({.sum = GramSum(*room, Half::lower)});
    }
}

void GramSlots::add(std::span<const double> rows, WideSums& total, unsigned threads,
                    int sign) noexcept {
    if (!rows.empty()) {
        slot_for(total, threads).sum.add(rows, d_, total, *product_, threads, sign);
    }
}

void GramSlots::finish(unsigned threads) noexcept {
    for (Slot& slot : slots_) {
        if (slot.total != nullptr) {
            slot.sum.move_to(*slot.total, d_, threads);
            slot.total = nullptr;
        }
    }
}

void GramSlots::finish_and_free(bool sums_are_resident, unsigned threads) noexcept {
    RoomForGrams before;
    for (std::size_t k = 0; k < slots_.size(); ++k) {
        if (WideSums* const total = slots_[k].total; total != nullptr) {
            if (!sums_are_resident && before && total->empty()) {
                total->keep_low_words_in(words_in(before, k % 2, d_));
            }
            slots_[k].sum.move_to(*total, d_, threads);
        }
        if (k % 2 == 1) {  // both of that room
            before = std::exchange((*memory_)[k / 2], nullptr);
        }
    }
    slots_.clear();
}

GramSlots::Slot& GramSlots::slot_for(WideSums& total, unsigned threads) noexcept {
    auto found = std::find_if(slots_.begin(), slots_.end(),
                              [&](const Slot& slot) { return slot.total == &total; });
    if (found == slots_.end()) {  // a free one was never used, or not since finish()
        found = std::min_element(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) {
            return (a.total == nullptr ? 0 : a.last_use) < (b.total == nullptr ? 0 : b.last_use);
        });
        if (found->total != nullptr) {
            found->sum.move_to(*found->total, d_, threads);
        }
        found->total = &total;
    }
    found->last_use = ++uses_;
    return *found;
}

}  // namespace dpcov::detail
