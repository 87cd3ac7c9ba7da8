#include "random/gaussian_noise.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>

#include "arithmetic/real.hpp"
#include "dpcov/error.hpp"
#include "random/noise_range.hpp"

namespace dpcov {

namespace {

void require_sigma(double sigma) {
    detail::require_noise_scale(sigma, 0x1p-100);
}

void require_grid(int grid_log2) {
    if (grid_log2 < 0 || grid_log2 > 120) {
        throw UsageError("the output grid must be a power of two between 2^0 and 2^120");
    }
}

}  // namespace

int gaussian_grid_log2(double sigma) {
    require_sigma(sigma);
    constexpr int digits_below_sigma = 24;
    return std::max(0, std::ilogb(sigma) - digits_below_sigma);
}

GaussianNoise gaussian_noise(double sigma, int grid_log2) {
    require_sigma(sigma);
    require_grid(grid_log2);
    int exponent = 0;
    const double fraction = std::frexp(sigma, &exponent);  // in [1/2, 1), exact
    return {static_cast<std::uint64_t>(std::ldexp(fraction, 64)), exponent - 64, grid_log2};
}

GaussianNoise gaussian_noise(double sigma) {
    return gaussian_noise(sigma, gaussian_grid_log2(sigma));
}

GaussianNoise gaussian_noise_over_sqrt2(double sigma, int grid_log2) {
    require_sigma(sigma);
    require_grid(grid_log2);
    detail::Real half_square(128);  // exact: 106 bits
    mpfr_set_d(half_square, sigma, MPFR_RNDU);
    mpfr_sqr(half_square, half_square, MPFR_RNDU);
    mpfr_div_2ui(half_square, half_square, 1, MPFR_RNDU);
    detail::Real root(64);
    mpfr_sqrt(root, half_square, MPFR_RNDU);
    mpz_class mantissa;
    const mpfr_exp_t exponent = mpfr_get_z_2exp(mantissa.get_mpz_t(), root);
    return {mantissa.get_ui(), static_cast<int>(exponent), grid_log2};
}

}  // namespace dpcov
