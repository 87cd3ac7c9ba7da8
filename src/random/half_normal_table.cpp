#include "random/half_normal_table.hpp"

#include <vector>

namespace dpcov::detail {

namespace {

constexpr mpfr_prec_t precision = 128;

/// The tail's blocks are 256 cells wide and halve in height: its area is 256 * (1 + 1/2 + ...)
/// times its first height.
constexpr std::uint64_t tail_area_per_height = 512;

/// exp(-(k / 256)^2 / 2) for k = 0 ... 2047, rounded up.
HalfNormalTable::Bell bell_from_above() {
    HalfNormalTable::Bell bell;
    for (std::size_t k = 0; k < HalfNormalTable::columns; ++k) {
        // -k^2 / 2^17 is exact, so exp is the only rounding.
        Real& value = bell.emplace_back(precision);
        mpfr_set_si_2exp(value, -static_cast<long>(k * k), -17, MPFR_RNDU);
        mpfr_exp(value, value, MPFR_RNDU);
    }
    return bell;
}

}  // namespace

const HalfNormalTable& HalfNormalTable::instance() {
    static const HalfNormalTable table;
    return table;
}

HalfNormalTable::HalfNormalTable() {
    const Bell bell = bell_from_above();
    compute_heights(bell);
    compute_squeeze(bell);
    compute_aliases();
}

// A is the largest integer for which the areas, each rounded up, surely add up to at most 2^64;
// what is left is added to the height of cell 0, where it costs one rejection in 10^13.
void HalfNormalTable::compute_heights(const Bell& bell) {
    Real term(precision);
    Real sum(precision);
    mpfr_set_zero(sum, 1);
    for (std::size_t k = 0; k < tail; ++k) {
        mpfr_add(sum, sum, bell[k], MPFR_RNDU);
    }
    mpfr_mul_ui(term, bell[tail], tail_area_per_height, MPFR_RNDU);
    mpfr_add(sum, sum, term, MPFR_RNDU);

    Real amplitude(precision);
    constexpr std::uint64_t room_for_rounding_up = tail + tail_area_per_height;
    mpfr_set_ui_2exp(amplitude, 1, 64, MPFR_RNDD);
    mpfr_sub_ui(amplitude, amplitude, room_for_rounding_up, MPFR_RNDD);
    mpfr_div(amplitude, amplitude, sum, MPFR_RNDD);
    amplitude_ = mpfr_get_ui(amplitude, MPFR_RNDD);

    std::uint64_t left = 0;  // 2^64 modulo 2^64: unsigned arithmetic wraps
    for (std::size_t k = 0; k < columns; ++k) {
        mpfr_mul_ui(term, bell[k], amplitude_, MPFR_RNDU);
        heights_[k] = mpfr_get_ui(term, MPFR_RNDU);
        left -= k == tail ? heights_[k] * tail_area_per_height : heights_[k];
    }
    heights_[0] += left;
}

// The right edge of a cell is its lowest point. The tail has no such bound. exp of a rational but 0
// is irrational, so it is rounded down to the number before the one that it is rounded up to.
void HalfNormalTable::compute_squeeze(const Bell& bell) {
    Real bound(precision);
    for (std::size_t k = 0; k < tail; ++k) {
        mpfr_set(bound, bell[k + 1], MPFR_RNDD);
        mpfr_nextbelow(bound);
        mpfr_mul_ui(bound, bound, amplitude_, MPFR_RNDD);
        mpfr_div_ui(bound, bound, heights_[k], MPFR_RNDD);
        mpfr_mul_2ui(bound, bound, squeeze_bits, MPFR_RNDD);
        squeeze_[k] = static_cast<std::uint16_t>(mpfr_get_ui(bound, MPFR_RNDD));
    }
    squeeze_[tail] = 0;
}

// Walker's alias method with Vose's construction, in integers: every column holds 2^53, its own
// share from below and another cell's above.
void HalfNormalTable::compute_aliases() {
    constexpr std::uint64_t column_area = std::uint64_t{1} << share_bits;
    std::array<std::uint64_t, columns> area = heights_;
    area[tail] *= tail_area_per_height;

    std::vector<std::size_t> short_of;
    std::vector<std::size_t> over;
    for (std::size_t k = 0; k < columns; ++k) {
        (area[k] < column_area ? short_of : over).push_back(k);
    }
    while (!short_of.empty()) {
        const std::size_t receiver = short_of.back();
        const std::size_t donor = over.back();
        short_of.pop_back();
        own_share_[receiver] = area[receiver];
        other_[receiver] = static_cast<std::uint16_t>(donor);
        area[donor] -= column_area - area[receiver];
        if (area[donor] < column_area) {
            over.pop_back();
            short_of.push_back(donor);
        }
    }
    // The areas add up to exactly 2^64, so what is left over fills its own column exactly.
    for (const std::size_t k : over) {
        own_share_[k] = column_area;
        other_[k] = static_cast<std::uint16_t>(k);
    }
}

}  // namespace dpcov::detail
