#include "random/rounded_gaussian.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "random/bell_acceptance.hpp"
#include "random/big_integer.hpp"
#include "random/grid_rounding.hpp"
#include "random/half_normal_table.hpp"

namespace dpcov {

namespace {

using detail::HalfNormalTable;
using detail::LazyNumber;

// The second word of a trial, from the top: 16 digits of V, the sign, 47 digits of u.
constexpr int u_bits = 63 - HalfNormalTable::squeeze_bits;
constexpr int known_bits = u_bits + HalfNormalTable::cells_per_unit_log2;

/// A candidate for |Z| = (cell + u) / 256 before it is accepted: the cell, leading digits of u and
/// of the uniform variable V that decides on acceptance, and Z's sign.
struct Trial {
    std::uint64_t cell;
    std::uint64_t v;
    bool negative;
    std::uint64_t u;

    Trial(RandomSource& random, const HalfNormalTable& table)
        : cell(table.pick(random.next_word())) {
        const std::uint64_t word = random.next_word();
        v = word >> (u_bits + 1);
        negative = (word >> u_bits & 1) != 0;
        u = word & ((std::uint64_t{1} << u_bits) - 1);
    }
};

/// The number of zeros before the first one in a string of random bits.
unsigned leading_zeros(RandomSource& random) {
    unsigned zeros = 0;
    std::uint64_t word = random.next_word();
    while (word == 0) {
        zeros += 64;
        word = random.next_word();
    }
    return zeros + static_cast<unsigned>(std::countl_zero(word));
}

/// What the table's squeeze leaves open: |Z| to as many digits as it took to accept it, or nothing.
std::optional<LazyNumber> decide_exactly(RandomSource& random, const HalfNormalTable& table,
                                         const Trial& trial) {
    std::uint64_t cell = trial.cell;
    unsigned halvings = 0;
    if (trial.cell == HalfNormalTable::tail) {
        // Block j of the tail has half the area of block j - 1; its 256 cells are alike.
        halvings = leading_zeros(random);
        constexpr int unit = HalfNormalTable::cells_per_unit_log2;
        cell += (std::uint64_t{halvings} << unit) + (random.next_word() >> (64 - unit));
    }
    LazyNumber magnitude{(detail::to_big(cell) << u_bits) + detail::to_big(trial.u), known_bits};
    const LazyNumber v{detail::to_big(trial.v), HalfNormalTable::squeeze_bits};
    if (!detail::accepted(random, v, magnitude, table, trial.cell, halvings)) {
        return std::nullopt;
    }
    return magnitude;
}

Int128 add_gaussian_by(const HalfNormalTable& table, RandomSource& random, Int128 value,
                       const GaussianNoise& noise) {
    for (;;) {
        const Trial trial(random, table);
        if (table.surely_accepted(trial.cell, trial.v)) [[likely]] {
            const std::uint64_t digits = trial.cell << u_bits | trial.u;
            const auto sum =
                detail::round_within_128_bits(value, noise, trial.negative, digits, known_bits);
            return sum ? *sum
                       : detail::round_exactly(random, value, noise, trial.negative,
                                               {detail::to_big(digits), known_bits});
        }
        if (const auto magnitude = decide_exactly(random, table, trial)) {
            return detail::round_exactly(random, value, noise, trial.negative, *magnitude);
        }
    }
}

}  // namespace

Int128 add_gaussian(RandomSource& random, Int128 value, const GaussianNoise& noise) {
    return add_gaussian_by(HalfNormalTable::instance(), random, value, noise);
}

void add_gaussian(RandomSource& random, std::span<Int128> values, const GaussianNoise& noise) {
    const HalfNormalTable& table = HalfNormalTable::instance();
    for (Int128& value : values) {
        value = add_gaussian_by(table, random, value, noise);
    }
}

LazyNormal lazy_normal(RandomSource& random) {
    static_assert(known_bits == LazyNormal::fraction_bits);
    const HalfNormalTable& table = HalfNormalTable::instance();
    for (;;) {
        const Trial trial(random, table);
        // A magnitude in [m, m + 1] with a minus sign lies in [~m, ~m + 1].
        if (table.surely_accepted(trial.cell, trial.v)) [[likely]] {
            const auto digits = static_cast<std::int64_t>(trial.cell << u_bits | trial.u);
            return {trial.negative ? ~digits : digits, std::nullopt};
        }
        if (auto number = decide_exactly(random, table, trial)) {
            if (trial.negative) {
                number->digits = ~number->digits;
            }
            const mpz_class floor =
                number->digits >> static_cast<mp_bitcnt_t>(number->fraction_bits - known_bits);
            return {floor.get_si(), std::move(number)};
        }
    }
}

}  // namespace dpcov
