// Norm bounds, and ranges of columns, that are taken where somebody states them.
#pragma once

namespace dpcov::detail {

/// A little less than what a moment takes, and easier to say. What is squared for the matrix stays
/// finite, and is not lost below the least double.
inline constexpr double least_stated_norm_bound = 1e-60;
inline constexpr double greatest_stated_norm_bound = 1e60;

/// Over the longest row that there can be: norm_bound_for_unit() adds a hundredth at most, and more
/// only adds noise.
inline constexpr double needlessly_long = 1.02;

}  // namespace dpcov::detail
