// What Gaussian noise is to be drawn: a standard deviation and an output grid, both public.
#pragma once

#include <cstdint>

namespace dpcov {

/// Gaussian noise of standard deviation sigma = mantissa * 2^exponent in lattice units (the unit of
/// the integer values), on the grid of multiples of 2^grid_log2.
/// 2^-100 <= sigma <= 2^100, mantissa > 0, 0 <= grid_log2 <= 120.
struct GaussianNoise {
    std::uint64_t mantissa = 0;
    int exponent = 0;
    int grid_log2 = 0;
};

/// The grid that noise of this standard deviation should lie on: 2^24 to 2^25 steps to a sigma, or
/// the lattice itself where sigma is smaller than 2^25. The rounding then adds less than 10^-15 of
/// the noise's variance, or the 1/12 that the lattice costs in any case.
[[nodiscard]] int gaussian_grid_log2(double sigma);

/// Noise of exactly the standard deviation `sigma`. A caller who computes sigma in floating point
/// sees to it that it is an upper bound of what privacy asks for.
/// Throws UsageError unless 2^-100 <= sigma <= 2^100 and 0 <= grid_log2 <= 120.
[[nodiscard]] GaussianNoise gaussian_noise(double sigma, int grid_log2);
[[nodiscard]] GaussianNoise gaussian_noise(double sigma);

/// The least noise with a 64-bit mantissa and standard deviation at least sigma / sqrt(2).
[[nodiscard]] GaussianNoise gaussian_noise_over_sqrt2(double sigma, int grid_log2);

}  // namespace dpcov
