// Eight values of a row, in vector registers of one width: in one register, or in pairs of narrower
// ones. A compiler that is left to divide a wide register takes the detour through memory.
#pragma once

#include <cstddef>
#include <cstring>

#include "arithmetic/wide_registers.hpp"

namespace dpcov::detail {

constexpr std::size_t lanes = 8;

using TwoDoubles = double __attribute__((vector_size(16)));
using FourDoubles = double __attribute__((vector_size(32)));
using EightDoubles = double __attribute__((vector_size(64)));

template <class Half>
struct Pair {
    Half low;
    Half high;
};

template <class Lanes>
constexpr std::size_t doubles_in = sizeof(Lanes) / sizeof(double);

template <class Register>
DPCOV_IN_CLONES void load(const double* from, Register& x) {
    std::memcpy(&x, from, sizeof x);
}
template <class Half>
DPCOV_IN_CLONES void load(const double* from, Pair<Half>& x) {
    load(from, x.low);
    load(from + doubles_in<Half>, x.high);
}

template <class Register>
DPCOV_IN_CLONES void store(const Register& x, double* to) {
    std::memcpy(to, &x, sizeof x);
}
template <class Half>
DPCOV_IN_CLONES void store(const Pair<Half>& x, double* to) {
    store(x.low, to);
    store(x.high, to + doubles_in<Half>);
}

template <class Register>
DPCOV_IN_CLONES void multiply_by(Register& x, double factor) {
    x *= factor;
}
template <class Half>
DPCOV_IN_CLONES void multiply_by(Pair<Half>& x, double factor) {
    multiply_by(x.low, factor);
    multiply_by(x.high, factor);
}

// To integers, ties to even, of less than 2^51.
template <class Register>
DPCOV_IN_CLONES void round_to_integers(Register& x) {
    constexpr double no_fraction = 0x1.8p52;  // a sum with it has none
    x = (x + no_fraction) - no_fraction;
}
template <class Half>
DPCOV_IN_CLONES void round_to_integers(Pair<Half>& x) {
    round_to_integers(x.low);
    round_to_integers(x.high);
}

template <class Register>
DPCOV_IN_CLONES void add_squares(const Register& x, Register& sums) {
    sums += x * x;
}
template <class Half>
DPCOV_IN_CLONES void add_squares(const Pair<Half>& x, Pair<Half>& sums) {
    add_squares(x.low, sums.low);
    add_squares(x.high, sums.high);
}

// Zeros in the lanes whose `kept` is 0, not 1, whatever stands there.
template <class Register>
DPCOV_IN_CLONES void keep_lanes(const double* kept, Register& x) {
    Register ones;
    std::memcpy(&ones, kept, sizeof ones);
    x = ones > 0.0 ? x : Register{};
}
template <class Half>
DPCOV_IN_CLONES void keep_lanes(const double* kept, Pair<Half>& x) {
    keep_lanes(kept, x.low);
    keep_lanes(kept + doubles_in<Half>, x.high);
}

// Lane i plus lane i + 4, of these the sums of the first two and of the last two, and their sum.
DPCOV_IN_CLONES double sum_of_lanes(const Pair<Pair<TwoDoubles>>& sums) {
    const TwoDoubles first = sums.low.low + sums.high.low;
    const TwoDoubles last = sums.low.high + sums.high.high;
    return (first[0] + first[1]) + (last[0] + last[1]);
}
DPCOV_IN_CLONES double sum_of_lanes(const Pair<FourDoubles>& sums) {
    const FourDoubles fours = sums.low + sums.high;
    return (fours[0] + fours[1]) + (fours[2] + fours[3]);
}
DPCOV_IN_CLONES double sum_of_lanes(const EightDoubles& sums) {
    const FourDoubles fours = __builtin_shufflevector(sums, sums, 0, 1, 2, 3) +
                              __builtin_shufflevector(sums, sums, 4, 5, 6, 7);
    return (fours[0] + fours[1]) + (fours[2] + fours[3]);
}

}  // namespace dpcov::detail
