// How much noise a budget asks for.
#pragma once

#include "dpcov/budget.hpp"

namespace dpcov::detail {

/// The smallest double above sensitivity / sqrt(2 rho) that rounding leaves no doubt of: Gaussian
/// noise of this deviation on a query of that l2 sensitivity is rho-zCDP (Bun and Steinke 2016,
/// Proposition 1.6).
[[nodiscard]] double gaussian_deviation(double sensitivity, Rho rho);

/// The same for Laplace noise: the smallest such double above sensitivity / epsilon. Noise of this
/// scale on a query of that l1 sensitivity is epsilon-DP.
[[nodiscard]] double laplace_noise_scale(double sensitivity, Epsilon epsilon);

}  // namespace dpcov::detail
