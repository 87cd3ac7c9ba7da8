// The noise levels of SeparateCov that the authors' experiments compare in AdaptiveCov.
//
// They are separate_error_bound and separate_lap_error_bound (dpcov/bounds.hpp) but for what the
// published code has otherwise than the text: the tail bound on the spectral norm of the noise has
// the exponent 0.3 for 1/3, at most 1/2 for what is taken to that power, sqrt(2 log(2/beta)) for
// its last term and, under pure DP, log d for sqrt(log d); and the first term is divided by 6, or
// by 14 under pure DP. Nothing is proved of them and nothing rests on them but a choice between two
// mechanisms. They are functions of public numbers and of a released trace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dpcov/budget.hpp"

namespace dpcov::detail {

/// The published code's tail bound on the spectral norm of SGW(d). At d = 1, where the code divides
/// by zero, log d is taken to be 1.
[[nodiscard]] double published_upsilon(std::size_t d, double beta);

/// The same for SLW(d).
[[nodiscard]] double published_upsilon_laplace(std::size_t d, double beta);

/// What SeparateCov is taken to err by on n rows of norm at most tau with this trace.
[[nodiscard]] double published_separate_level(std::size_t d, std::uint64_t n, Rho rho, double tau,
                                              double trace, double beta);
[[nodiscard]] double published_separate_level(std::size_t d, std::uint64_t n, Epsilon epsilon,
                                              double tau, double trace, double beta);

}  // namespace dpcov::detail
