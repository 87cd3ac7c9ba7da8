// Goodness of fit against laws whose probabilities come from high-precision arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "random/random_source.hpp"
#include "random/rounded_gaussian.hpp"

namespace dpcov::test {

/// The false-alarm rate of every statistical test of this folder, were its seed fresh. The seeds
/// are fixed, so a pass stays a pass.
inline constexpr double false_alarm = 1e-6;

/// P(chi-square with that many degrees of freedom >= statistic).
[[nodiscard]] double chi_square_tail(double statistic, std::size_t degrees_of_freedom);

/// Pearson's p-value of counts against probabilities that add up to one. Neighbouring cells are
/// pooled until each expects at least ten.
[[nodiscard]] double chi_square_p_value(const std::vector<std::uint64_t>& counts,
                                        const std::vector<double>& probabilities);

/// P(|N(0, 1)| >= |z|): the p-value of a z-score.
[[nodiscard]] double two_sided_p_value(double z);

/// A draw of what is under test.
using Draw = std::function<Int128(RandomSource&)>;

/// Counts of `draws` draws in the cells (-inf, e_0], (e_0, e_1], ..., (e_last, inf).
[[nodiscard]] std::vector<std::uint64_t> count_cells(RandomSource& random, const Draw& draw,
                                                     const std::vector<Int128>& edges,
                                                     std::size_t draws);

/// The probabilities of those cells under the law that add_gaussian promises; every edge must be on
/// the grid. From MPFR's erfc at 256 bits.
[[nodiscard]] std::vector<double> rounded_gaussian_cells(Int128 value, const GaussianNoise& noise,
                                                         const std::vector<Int128>& edges);

}  // namespace dpcov::test
