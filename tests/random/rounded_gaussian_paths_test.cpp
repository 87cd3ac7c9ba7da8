// Every path of the rounded Gaussian by script, against rational and 600-bit arithmetic.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "arithmetic/real.hpp"
#include "random/big_integer.hpp"
#include "random/half_normal_table.hpp"
#include "random/rounded_gaussian.hpp"
#include "support/scripted_source.hpp"

namespace dpcov::test {
namespace {

using detail::HalfNormalTable;
using detail::power_of_two;
using detail::Real;
using detail::to_big;
using Word = std::uint64_t;

constexpr Word all_ones = ~Word{0};
constexpr int known_bits = 55;
constexpr Word u_mask = (Word{1} << 47) - 1;

/// A word that picks the cell from its own column.
Word picking(std::size_t cell) {
    const Word word = Word{cell} << 53;
    EXPECT_EQ(HalfNormalTable::instance().pick(word), cell);
    return word;
}

Word second_word(Word v, bool negative, Word u) {
    return v << 48 | Word{negative} << 47 | u;
}

/// floor((value + sigma z) / g + 1/2) g in rational numbers, z in the middle of
/// [digits, digits + 1] / 2^bits, or minus that.
Int128 rounded(Int128 value, const GaussianNoise& noise, bool negative, const mpz_class& digits,
               unsigned bits) {
    mpq_class z(2 * digits + 1, mpz_class(1) << (bits + 1));
    z.canonicalize();
    mpq_class sigma(to_big(noise.mantissa));
    if (noise.exponent >= 0) {
        sigma *= mpq_class(power_of_two(noise.exponent));
    } else {
        sigma /= mpq_class(power_of_two(-noise.exponent));
    }
    const mpq_class grid(power_of_two(noise.grid_log2));
    const mpq_class shift = negative ? mpq_class(-sigma * z) : mpq_class(sigma * z);
    const mpq_class sum = to_big(value) + shift;
    const mpq_class steps = sum / grid + mpq_class(1, 2);
    mpz_class floor;
    mpz_fdiv_q(floor.get_mpz_t(), steps.get_num_mpz_t(), steps.get_den_mpz_t());
    return detail::clamp_to_int128(floor * grid.get_num());
}

/// floor(2^bits A exp(-x^2 / 2) / height) at x = digits / 2^x_bits: the first `bits` digits of the
/// V at which acceptance turns into rejection.
mpz_class acceptance(std::size_t cell, const mpz_class& digits, unsigned x_bits, unsigned bits) {
    const HalfNormalTable& table = HalfNormalTable::instance();
    Real x(600);
    mpfr_set_z_2exp(x, digits.get_mpz_t(), -static_cast<long>(x_bits), MPFR_RNDN);
    mpfr_sqr(x, x, MPFR_RNDN);
    mpfr_div_si(x, x, -2, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_mul_ui(x, x, table.amplitude(), MPFR_RNDN);
    mpfr_div_ui(x, x, table.height(cell), MPFR_RNDN);
    mpfr_mul_2ui(x, x, bits, MPFR_RNDN);
    mpz_class result;
    mpfr_get_z(result.get_mpz_t(), x, MPFR_RNDD);
    return result;
}

/// Bits [from, from + count) of a number, counted from the lowest.
Word bits_of(const mpz_class& number, unsigned from, unsigned count) {
    const mpz_class shifted = number >> from;
    return shifted.get_ui() & (count == 64 ? all_ones : (Word{1} << count) - 1);
}

const GaussianNoise odd_noise{0x9e3779b97f4a7c15, -20, 19};  // sigma about 2^43

TEST(RoundedGaussianPaths, FastPathRoundsAsRationalArithmeticDoes) {
    SeededRandomSource random(71);
    for (int i = 0; i < 20000; ++i) {
        const std::size_t cell = random.next_word() % 1024;
        const Word u = random.next_word() & u_mask;
        const bool negative = (random.next_word() & 1) != 0;
        // Mantissas of every length, sigma from 2^-6 to 2^90, values up to 2^100.
        const Word mantissa = random.next_word() >> random.next_word() % 64 | 1;
        const int exponent = static_cast<int>(random.next_word() % 97) - 70;
        const int grid_log2 = static_cast<int>(random.next_word() % 40);
        const GaussianNoise noise{mantissa, exponent, grid_log2};
        const Int128 value = static_cast<Int128>(random.next_word()) * (Int128{1} << 36) *
                             (negative == (u % 2 == 0) ? 1 : -1);
        // Extra words for the few draws that 128 bits cannot round.
        ScriptedRandomSource script({picking(cell), second_word(0, negative, u), all_ones / 2, 1});
        const Int128 output = add_gaussian(script, value, noise);
        const mpz_class digits = (to_big(cell) << 47) + to_big(u);
        if (script.used() == 2) {
            EXPECT_TRUE(output == rounded(value, noise, negative, digits, known_bits)) << i;
        } else {
            const mpz_class longer = (digits << 64) + to_big(all_ones / 2);
            EXPECT_EQ(script.used(), 3U);
            EXPECT_TRUE(output == rounded(value, noise, negative, longer, known_bits + 64)) << i;
        }
    }
}

// The cell boundary between "surely" and "look closer" falls at the V digits of the squeeze; just
// below and above the true bound the draw is accepted and rejected with three words and no more.
TEST(RoundedGaussianPaths, SlowPathAcceptsJustBelowTheBellAndRejectsJustAbove) {
    for (const std::size_t cell : {1UL, 2UL, 100UL, 256UL, 700UL, 1500UL, 2046UL}) {
        for (const Word u : {Word{1}, Word{0x3456789abcde}, u_mask - 1}) {
            const mpz_class digits = (to_big(cell) << 47) + to_big(u);
            // 80 digits of V; the interval of x makes 2^-53 or so of them undecided.
            const mpz_class lowest = acceptance(cell, digits + 1, known_bits, 80) - 2;
            const mpz_class highest = acceptance(cell, digits, known_bits, 80) + 2;
            for (const bool negative : {false, true}) {
                const Int128 value = 31415926535;
                ScriptedRandomSource below({picking(cell),
                                            second_word(bits_of(lowest, 64, 16), negative, u),
                                            bits_of(lowest, 0, 64)});
                EXPECT_TRUE(add_gaussian(below, value, odd_noise) ==
                            rounded(value, odd_noise, negative, digits, known_bits));
                EXPECT_EQ(below.used(), 3U);

                // Rejected: the draw that counts is the next one.
                ScriptedRandomSource above(
                    {picking(cell), second_word(bits_of(highest, 64, 16), negative, u),
                     bits_of(highest, 0, 64), picking(3), second_word(0, true, 77)});
                EXPECT_TRUE(add_gaussian(above, value, odd_noise) ==
                            rounded(value, odd_noise, true, (mpz_class(3) << 47) + 77, known_bits));
                EXPECT_EQ(above.used(), 5U);
            }
        }
    }
}

// A V between the bell at the two ends of x's known interval: more digits of x and V decide.
TEST(RoundedGaussianPaths, DrawsMoreDigitsWhenTheEnclosuresOverlap) {
    for (const std::size_t cell : {2UL, 300UL, 1900UL}) {
        const Word u = 0x2b3c4d5e6f70;
        const mpz_class digits = (to_big(cell) << 47) + to_big(u);
        for (const Word x_word : {Word{5}, Word{0x0123456789abcdef}, all_ones - 9}) {
            // The bound at the x that the further digits lead to.
            const mpz_class longer = (digits << 64) + to_big(x_word);
            const unsigned longer_bits = known_bits + 64;
            for (const int side : {-2, +2}) {
                const mpz_class v = side < 0 ? acceptance(cell, longer + 1, longer_bits, 144) + side
                                             : acceptance(cell, longer, longer_bits, 144) + side;
                ScriptedRandomSource script(
                    {picking(cell), second_word(bits_of(v, 128, 16), false, u), bits_of(v, 64, 64),
                     x_word, bits_of(v, 0, 64), picking(3), second_word(0, true, 77)});
                const Int128 output = add_gaussian(script, 999, odd_noise);
                if (side < 0) {
                    EXPECT_EQ(script.used(), 5U);
                    EXPECT_TRUE(output == rounded(999, odd_noise, false, longer, longer_bits));
                } else {
                    EXPECT_EQ(script.used(), 7U);
                    EXPECT_TRUE(output == rounded(999, odd_noise, true, (mpz_class(3) << 47) + 77,
                                                  known_bits));
                }
            }
        }
    }
}

// The tail: block 2 (a coin word that starts 001), cell 0xab of it, V = 0.
TEST(RoundedGaussianPaths, TailCellGoesOutByCoinFlips) {
    const Word u = 12345;
    ScriptedRandomSource script({picking(HalfNormalTable::tail), second_word(0, true, u),
                                 Word{1} << 61, Word{0xab} << 56, 0});
    const mpz_class cell = to_big(HalfNormalTable::tail + 2UL * 256 + 0xab);
    EXPECT_TRUE(add_gaussian(script, 1000, odd_noise) ==
                rounded(1000, odd_noise, true, (cell << 47) + to_big(u), known_bits));
    EXPECT_EQ(script.used(), 5U);
}

// The tail's bound includes the halvings: at block 1 the ratio is 2 A exp(-x^2 / 2) / height.
TEST(RoundedGaussianPaths, TailAcceptanceCountsTheHalvings) {
    const Word u = 54321;
    const mpz_class digits = (to_big(HalfNormalTable::tail + 256 + 5) << 47) + to_big(u);
    for (const bool inside : {true, false}) {
        const mpz_class v =
            inside ? mpz_class(acceptance(HalfNormalTable::tail, digits + 1, known_bits, 81) - 2)
                   : mpz_class(acceptance(HalfNormalTable::tail, digits, known_bits, 81) + 2);
        ScriptedRandomSource script({picking(HalfNormalTable::tail),
                                     second_word(bits_of(v, 64, 16), false, u), Word{1} << 62,
                                     Word{5} << 56, bits_of(v, 0, 64), picking(3),
                                     second_word(0, true, 77)});
        const Int128 output = add_gaussian(script, 0, odd_noise);
        EXPECT_EQ(script.used(), inside ? 5U : 7U);
        EXPECT_TRUE(output ==
                    (inside ? rounded(0, odd_noise, false, digits, known_bits)
                            : rounded(0, odd_noise, true, (mpz_class(3) << 47) + 77, known_bits)));
    }
}

// 67 coins in a row: |Z| is about 75, where the bell is exp(-2800). V must start with that many
// zeros, and the draw goes on until it is known to.
TEST(RoundedGaussianPaths, ReachesSeventyFiveSigmas) {
    std::vector<Word> words{picking(HalfNormalTable::tail), second_word(0, false, 0), 0,
                            Word{1} << 60, 0};
    words.resize(200, 0);
    ScriptedRandomSource script(words);
    const mpz_class cell = to_big(HalfNormalTable::tail + 67UL * 256);
    EXPECT_TRUE(add_gaussian(script, 0, odd_noise) ==
                rounded(0, odd_noise, false, cell << 47, known_bits));
    // log2 of the bound is about -75^2 / 2 / ln 2 = -4050 bits + 67 + 47: some 62 words of V and as
    // many of x.
    EXPECT_GT(script.used(), 120U);
    EXPECT_LT(script.used(), 135U);
}

// The known digits leave two grid points open: the next all_ones decide.
TEST(RoundedGaussianPaths, DrawsMoreDigitsWhenTheRoundingIsOpen) {
    for (const bool negative : {false, true}) {
        for (const Int128 value : {Int128{0}, Int128{123456789}, -(Int128{1} << 90) - 5}) {
            // The distance from the value to a rounding boundary some 10^7 steps away, in units of
            // sigma 2^-known_bits-64, is the x at which the output changes.
            const Int128 step = Int128{1} << odd_noise.grid_log2;
            const Int128 boundary = (value >> odd_noise.grid_log2) * step + step / 2 +
                                    (negative ? -10000000 : 10000000) * step;
            const mpz_class distance = abs(to_big(boundary) - to_big(value));
            // x = distance / (mantissa 2^exponent), exponent = -20.
            const mpz_class crossing =
                (distance << (known_bits + 64 + 20)) / to_big(odd_noise.mantissa);
            const mpz_class digits = crossing >> 64;
            ASSERT_TRUE(digits < mpz_class(8) << known_bits);
            const auto cell = static_cast<std::size_t>(mpz_class(digits >> 47).get_ui());
            const Word u = bits_of(digits, 0, 47);
            const Word turn = bits_of(crossing, 0, 64);

            const auto draw = [&](std::vector<Word> more, std::size_t use) {
                std::vector<Word> words{picking(cell), second_word(0, negative, u)};
                words.insert(words.end(), more.begin(), more.end());
                ScriptedRandomSource script(words);
                const Int128 output = add_gaussian(script, value, odd_noise);
                EXPECT_EQ(script.used(), use);
                mpz_class all = digits;
                for (std::size_t i = 0; i + 2 < use; ++i) {
                    all = (all << 64) + to_big(more[i]);
                }
                const auto bits = static_cast<unsigned>(known_bits + 64 * (use - 2));
                EXPECT_TRUE(output == rounded(value, odd_noise, negative, all, bits));
                return output;
            };
            const Int128 before = draw({turn - 1}, 3);
            const Int128 after = draw({turn + 1}, 3);
            EXPECT_TRUE(after - before == (negative ? -step : step));
            // Still open after 64 more: 128 more.
            EXPECT_TRUE(draw({turn, 0}, 4) == before);
            EXPECT_TRUE(draw({turn, all_ones}, 4) == after);
        }
    }
}

// Both at once: the digits of x that settle the acceptance are the all_ones that settle the
// rounding.
TEST(RoundedGaussianPaths, TheSameDigitsServeAcceptanceAndRounding) {
    const std::size_t cell = 512;
    const Word u = 0x123456;
    const Word x_word = Word{1} << 63;
    const mpz_class longer = (((to_big(cell) << 47) + to_big(u)) << 64) + to_big(x_word);
    const mpz_class v = acceptance(cell, longer + 1, known_bits + 64, 144) - 2;
    // A grid of one unit under a sigma of 2^99: 119 digits of x are needed, 55 are not enough.
    const GaussianNoise wide{0xc000000000000001, 36, 0};
    ScriptedRandomSource script({picking(cell), second_word(bits_of(v, 128, 16), true, u),
                                 bits_of(v, 64, 64), x_word, bits_of(v, 0, 64), 42});
    const Int128 output = add_gaussian(script, 7, wide);
    EXPECT_LE(script.used(), 6U);
    const bool once_more = script.used() == 6;
    EXPECT_TRUE(output == rounded(7, wide, true,
                                  once_more ? mpz_class((longer << 64) + 42) : longer,
                                  known_bits + (once_more ? 128 : 64)));
}

// What lies outside the range of Int128 becomes the nearest number in it. (A draw that far out,
// 2^20 sigmas, would need a script of 2^40 zeros.)
TEST(RoundedGaussianPaths, ClampsWhatDoesNotFit) {
    EXPECT_TRUE(detail::clamp_to_int128(mpz_class(1) << 127) ==
                static_cast<Int128>(~UInt128{0} >> 1));
    EXPECT_TRUE(detail::clamp_to_int128(-(mpz_class(1) << 127) - 1) ==
                -static_cast<Int128>(~UInt128{0} >> 1) - 1);
    EXPECT_TRUE(detail::clamp_to_int128(-(mpz_class(1) << 127)) ==
                -static_cast<Int128>(~UInt128{0} >> 1) - 1);
    for (const Int128 value : {Int128{0}, Int128{-1}, Int128{1} << 64, -(Int128{1} << 64) - 3,
                               static_cast<Int128>(~UInt128{0} >> 1)}) {
        EXPECT_TRUE(detail::clamp_to_int128(to_big(value)) == value);
    }
}

}  // namespace
}  // namespace dpcov::test
