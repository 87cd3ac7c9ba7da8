// How much noise a budget asks for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dpcov/budget.hpp"

namespace dpcov::detail {

inline constexpr double least_rho = 1e-12;
inline constexpr double least_epsilon = 1e-6;
inline constexpr double greatest_budget = 1e30;  ///< of either

/// UsageError unless the budget for one row of a table of so many columns is from the least to the
/// greatest above; an epsilon is at least d 2^-31, too. It names what a person with so many rows
/// needs. Every mechanism asks for this before its first noise, which is when the accountant is
/// charged, so that no later noise is refused for its size. The samplers' scales lie between 2^-100
/// and 2^100:
/// - Sensitivities are in units of the integers that are drawn on, so none is below 1.
/// - None is above d 2^65, where a stage has at least an eighth of the budget, or above 2^67, where
///   it may have less. No stage has less than 2^-12.
/// - So no scale is above d 2^68 / epsilon, nor above 2^79 / epsilon, nor below 1e-30.
void require_drawable(const Budget& of_row, std::size_t columns, std::uint32_t rows_per_person = 1);

/// The smallest double above sensitivity / sqrt(2 rho) that rounding leaves no doubt of: Gaussian
/// noise of this deviation on a query of that l2 sensitivity is rho-zCDP (Bun and Steinke 2016,
/// Proposition 1.6).
[[nodiscard]] double gaussian_deviation(double sensitivity, Rho rho);

/// The same for Laplace noise: the smallest such double above sensitivity / epsilon. Noise of this
/// scale on a query of that l1 sensitivity is epsilon-DP.
[[nodiscard]] double laplace_noise_scale(double sensitivity, Epsilon epsilon);

/// The scale c of two-sided Wishart noise, whose density is exp(-tr P / (2 c)): sensitivity /
/// (2 epsilon), rounded likewise. On a query of that sensitivity in the nuclear norm it is
/// epsilon-DP (docs/privacy.md#wishartcov).
[[nodiscard]] double wishart_noise_scale(double sensitivity, Epsilon epsilon);

/// The deviation of that noise on the diagonal of a matrix of that order.
[[nodiscard]] double wishart_deviation(double scale, std::size_t order);

}  // namespace dpcov::detail
