// (epsilon, delta)-DP of Gaussian noise, exactly (Balle and Wang 2018, Theorem 8; Dong, Roth and Su
// 2022, Corollary 2.13): with mu = sqrt(2 rho)
//
//   delta = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2).
//
// Each function evaluates that in interval arithmetic and returns the safe end. Which mechanisms it
// holds for: docs/privacy.md#gaussian-curve. How tight: docs/bounds.md#gaussian-curve.
#pragma once

#include "dpcov/budget.hpp"

namespace dpcov::detail {

/// delta, rounded up; 0 to 1.
[[nodiscard]] double gaussian_delta(Rho rho, Epsilon epsilon);

/// The least double of at least 2^-1022 that is shown to do for epsilon; infinite where none is.
[[nodiscard]] double gaussian_epsilon(Rho rho, Delta delta);

/// The greatest double that is shown to do for rho; 0 where none is.
[[nodiscard]] double gaussian_rho(const ApproximateDp& target);

}  // namespace dpcov::detail
